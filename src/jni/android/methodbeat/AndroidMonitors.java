package methodbeat;

import android.app.Application;
import android.os.Build;
import android.os.Handler;
import android.os.Looper;
import java.util.ArrayList;
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
 * <p>Settings are those of Monitors, and messages=none: the main thread's messages are not heard, which
 * spares the system to describe each in words; what stalls is then found by signs of life. Everything
 * else, stop() too, is Monitors'. Android 6 (level 23) or later.
 */
public final class AndroidMonitors {
    private static final AndroidMonitors ONE = new AndroidMonitors();

    private final MainLoop loop = new MainLoop();
    private final Activities activities = new Activities(loop);
    private Application application; // whose Activities are heard of, or null
    private boolean hasStarted; // once in a process

    /** True if they run. In Application.onCreate, at best first of all. */
    public static boolean start(final Application application, String... settings) {
        try {
            final boolean[] hearsMessages = {true};
            List<String> others = new ArrayList<>();
            for (String setting : settings) {
                if (setting.startsWith("messages=")) {
                    hearsMessages[0] = !setting.equals("messages=none");
                } else {
                    others.add(setting);
                }
            }
            if (!Monitors.start(others.toArray(new String[0]))) {
                return false;
            }
            onMain(new Runnable() {
                @Override
                public void run() {
                    ONE.begin(application, hearsMessages[0]);
                }
            });
            return true;
        } catch (Throwable e) { // no fault of ours may become the program's
            Log.say("no monitors of Android", e);
            return false;
        }
    }

    /** The app has shown all that the person waits for. */
    public static void fullyDrawn() {
        StartUp.fullyDrawn();
    }

    private void begin(Application application, boolean hearsMessages) {
        try {
            if (!loop.start(hearsMessages)) {
                return;
            }
            Monitors.whenStopped = new Runnable() {
                @Override
                public void run() {
                    Monitors.whenStopped = null;
                    onMain(new Runnable() {
                        @Override
                        public void run() {
                            end();
                        }
                    });
                }
            };
            if (!hasStarted) {
                hasStarted = true;
                activities.expect(StartUp.begin(hearsMessages ? loop : null));
            }
            NativeMonitors.scene("", false); // until an Activity is shown
            application.registerActivityLifecycleCallbacks(activities);
            this.application = application;
        } catch (Throwable e) {
            Log.say("Android is not watched", e);
        }
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
