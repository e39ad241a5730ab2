package methodbeat;

import android.app.Application;

/** The same API where nothing is watched. */
public final class AndroidMonitors {
    public static boolean start(final Application application, String... settings) {
        return false;
    }

    public static void fullyDrawn() {}

    private AndroidMonitors() {}
}
