package sample.app;

import android.app.Activity;

/** Its own onWindowFocusChanged is ignored as trivial, and calls at all the same. */
public class TrivialActivity extends Activity {
    @Override
    public void onWindowFocusChanged(boolean hasFocus) {
    }
}
