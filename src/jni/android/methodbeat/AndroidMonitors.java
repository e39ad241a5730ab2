package methodbeat;

import android.app.Application;
import android.os.Build;
import android.os.Handler;
import android.os.Looper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * The monitors of an Android app: what {@link Monitors} does, fed by the main thread's messages, the
 * Activities, the frames of their windows and the start of the process.
 *
 * <pre>
 * public class App extends Application {
 *     public void onCreate() {
 *         super.onCreate();
 *         AndroidMonitors.start(this, "spool=" + getFilesDir() + "/issues");
 *     }
 * }
 * </pre>
 *
 * <p>Settings are those of Monitors, and
 *
 * <pre>
 * messages=none  the main thread's messages are not heard, which spares the system to describe each in
 *                words; what stalls is then found by signs of life
 * overlay=on     each screen shows how fast it is drawn; for development
 * app=           files do not say whose they are; else the app and its version, the device's model and
 *                Android's level are added to what app=KEY=VALUE,KEY=VALUE says
 * </pre>
 *
 * <p>Where what is recorded asks for samples (sample=both, given to MethodBeat.start before), the library
 * is attached as an agent in apps that may be debugged. Everything else, stop() too, is Monitors'. Android 6 (level 23) or later.
 */
public final class AndroidMonitors {
    private static final AndroidMonitors ONE = new AndroidMonitors();

    private final MainLoop loop = new MainLoop();
    private final Activities activities = new Activities(loop);
    private Application application; // whose Activities are heard of, or null
    private boolean hasStarted; // once in a process
    private int starts; // each has an end, which comes to the main thread later

    /** True if they run. In Application.onCreate, at best first of all. */
    public static boolean start(final Application application, String... settings) {
        try {
            List<String> others = new ArrayList<>(Arrays.asList(settings));
            final boolean hearsMessages = !take(others, "messages", "").equals("none");
            final boolean hasOverlay = take(others, "overlay", "").equals("on");
            String app = take(others, "app", Settings.get("app", null));
            others.add("app=" + (app == null || !app.isEmpty() ? Device.describe(application, app) : ""));
            if (NativeMonitors.exits == null && isLevel(30)) {
                NativeMonitors.exits = new Exits30(application);
            }
            if (!Monitors.start(others.toArray(new String[0]))) {
                return false;
            }
            if (isLevel(28)) {
                Agent28.attach(application);
            }
            onMain(new Runnable() {
                @Override
                public void run() {
                    ONE.activities.setOverlay(hasOverlay);
                    ONE.begin(application, hearsMessages);
                }
            });
            return true;
        } catch (Throwable e) { // a fault of methodbeat must not become the program's
            Log.say("no monitors of Android", e);
            return false;
        }
    }

    /** The value of the last one of that name; none stays. */
    private static String take(List<String> settings, String name, String otherwise) {
        String value = otherwise;
        for (Iterator<String> rest = settings.iterator(); rest.hasNext();) {
            String setting = rest.next();
            if (setting.startsWith(name + '=')) {
                value = setting.substring(name.length() + 1);
                rest.remove();
            }
        }
        return value;
    }

    /** The app has shown all that the person waits for. */
    public static void fullyDrawn() {
        StartUp.fullyDrawn();
    }

    private void begin(Application application, boolean hearsMessages) {
        try {
            if (!Monitors.isRunning()) {
                return; // they were stopped meanwhile
            }
            if (Monitors.whenStopped == null) {
                end(); // of the start before, if that has not come yet
            }
            if (!loop.start(hearsMessages)) {
                return;
            }
            endWhenStopped(++starts);
            if (!hasStarted) {
                hasStarted = true;
                activities.expect(StartUp.begin(application, hearsMessages ? loop : null));
            }
            NativeMonitors.scene("", false); // until an Activity is shown
            application.registerActivityLifecycleCallbacks(activities);
            this.application = application;
        } catch (Throwable e) {
            Log.say("Android is not watched", e);
        }
    }

    private void endWhenStopped(final int start) {
        Monitors.whenStopped = new Runnable() {
            @Override
            public void run() {
                Monitors.whenStopped = null;
                onMain(new Runnable() {
                    @Override
                    public void run() {
                        if (start == starts) {
                            end();
                        }
                    }
                });
            }
        };
    }

    private void end() {
        try {
            loop.stop();
            activities.stop();
            if (application != null) {
                application.unregisterActivityLifecycleCallbacks(activities);
                application = null;
            }
        } catch (Throwable e) {
            Log.say("Android is still watched", e);
        }
    }

    /** Now, if this is the main thread. */
    static void onMain(Runnable task) {
        if (Looper.myLooper() == Looper.getMainLooper()) {
            task.run();
        } else {
            new Handler(Looper.getMainLooper()).post(task);
        }
    }

    static boolean isLevel(int level) {
        return Build.VERSION.SDK_INT >= level;
    }

    private AndroidMonitors() {}
}
