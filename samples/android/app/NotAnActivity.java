package sample.app;

/** Has the method but not the ancestor: left alone. */
public class NotAnActivity {
    public void onWindowFocusChanged(boolean hasFocus) {
        Driver.log("no activity " + hasFocus);
    }
}
