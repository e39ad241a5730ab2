package methodbeat;

import android.app.Activity;

/** The same API where nothing is recorded. */
public final class MethodBeat {
    public interface Listener {
        void onFocus(Object activity, boolean hasFocus);
    }

    public static void i(int id) {}

    public static void o(int id) {}

    public static void c(int id) {}

    public static void at(Activity activity, boolean hasFocus) {}

    public static boolean start(String... settings) {
        return false;
    }

    public static void stop() {}

    public static boolean dump(String path) {
        return false;
    }

    public static boolean isRecording() {
        return false;
    }

    public static void listen(Listener listener) {}

    public static void unlisten(Listener listener) {}

    public static String[] focused() {
        return new String[0];
    }

    private MethodBeat() {}
}
