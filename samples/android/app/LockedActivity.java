package sample.app;

import android.app.Activity;

/** Its onWindowFocusChanged is final: the call goes here, for every heir. */
public class LockedActivity extends Activity {
    @Override
    public final void onWindowFocusChanged(boolean hasFocus) {
        Driver.log("locked " + hasFocus);
    }
}
