package sample.app;

import android.app.Activity;

/** Has no onWindowFocusChanged: gets one. */
public class PlainActivity extends Activity {
    @Override
    protected void onResume() {
        super.onResume();
        Driver.log("resume");
    }
}
