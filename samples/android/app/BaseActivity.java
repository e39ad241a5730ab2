package sample.app;

import android.app.Activity;

/** Abstract, as most apps have one: gets an onWindowFocusChanged too. */
public abstract class BaseActivity extends Activity {
    abstract String title();

    void show() {
        Driver.log(title());
    }
}
