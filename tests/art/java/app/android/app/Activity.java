package android.app;

import android.content.ContextWrapper;
import android.hardware.display.DisplayManagerGlobal;
import android.os.Bundle;
import android.view.Display;
import android.view.DisplayAdjustments;
import android.view.View;
import android.view.Window;
import android.view.WindowManager;
import java.lang.reflect.Proxy;

/** Has a window; what becomes of it ActivityThread tells. */
public abstract class Activity extends ContextWrapper {
    private Window window;

    public Activity() {
        super(null);
    }

    protected void onCreate(Bundle state) {}

    public void onWindowFocusChanged(boolean hasFocus) {}

    public void setContentView(View view) {
        window = new Window(view);
    }

    public Window getWindow() {
        return window;
    }

    public WindowManager getWindowManager() {
        DisplayManagerGlobal displays = DisplayManagerGlobal.getInstance();
        Display display = new Display(displays, 0, displays.getDisplayInfo(0), (DisplayAdjustments) null);
        return (WindowManager) Proxy.newProxyInstance(Activity.class.getClassLoader(),
                new Class<?>[] {WindowManager.class}, (proxy, method, words) -> display);
    }
}
