package android.app;

import android.content.ContextWrapper;
import android.view.Window;
import android.view.WindowManager;

public class Activity extends ContextWrapper {
    public native Window getWindow();
    public native WindowManager getWindowManager();
}
