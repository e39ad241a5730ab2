package android.app;

import android.content.ContextWrapper;
import android.view.Window;
import android.view.WindowManager;

/** Only for the compiler: the real one comes with Android. */
public class Activity extends ContextWrapper {
    public native Window getWindow();

    public native WindowManager getWindowManager();
}
