package methodbeat;

import android.app.Activity;

/** Takes the place of ours: tells of each call of at, FACT at, and whether a window of the framework's made it. */
public final class MethodBeat {
    public static void i(int id) {}

    public static void o(int id) {}

    public static void c(int id) {}

    public static void at(Activity activity, boolean hasFocus) {
        boolean byView = false;
        boolean byRoot = false;
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            byView |= frame.getClassName().endsWith("DecorView");
            byRoot |= frame.getClassName().startsWith("android.view.ViewRootImpl");
        }
        System.out.println("FACT at " + activity.getClass().getSimpleName() + " " + hasFocus);
        System.out.println("FACT dispatched " + (byView && byRoot));
    }

    private MethodBeat() {}
}
