package methodbeat;

import android.app.Application;

/** An app that is watched, and tells an issue of its own. Arguments: settings. */
public final class Shown {
    public static void main(String[] settings) {
        System.out.println("watched " + AndroidMonitors.start(new Application(), settings));
        System.out.println("told " + Monitors.issue("MINE", "key", "1"));
        Monitors.stop();
    }

    private Shown() {}
}
