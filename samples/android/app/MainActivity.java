package sample.app;

import android.app.Activity;
import android.os.Bundle;

/** Overrides onWindowFocusChanged: at is called as it is entered. */
public class MainActivity extends Activity {
    @Override
    protected void onCreate(Bundle savedInstanceState) {
        super.onCreate(savedInstanceState);
        Driver.log("create " + getPackageName());
    }

    @Override
    public void onWindowFocusChanged(boolean hasFocus) {
        super.onWindowFocusChanged(hasFocus);
        Driver.log("own " + hasFocus);
    }
}
