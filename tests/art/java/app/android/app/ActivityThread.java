package android.app;

import android.os.Handler;
import android.os.Looper;
import android.os.Message;
import android.os.SystemClock;
import java.util.function.Consumer;
import methodbeat.Monitors;

/**
 * What Android's does for an app of one screen: arguments are its Application and its Activity, in which one searches, or
 * which knows itself what happens: then it accepts what it has to run in the end.
 */
public final class ActivityThread {
    private static final int BIND_APPLICATION = 110;
    private static final int EXECUTE_TRANSACTION = 159;
    private static final int FRAMES = 20;

    private final Application application;
    private final Activity activity;
    private final H handler = new H();
    private int frames;

    private ActivityThread(String[] classes) throws ReflectiveOperationException {
        application = (Application) Class.forName(classes[0]).getConstructor().newInstance();
        activity = (Activity) Class.forName(classes[1]).getConstructor().newInstance();
    }

    static String currentProcessName() {
        return "sample.shop";
    }

    /** Has the name that it has in Android, by which the first message is known. */
    final class H extends Handler {
        H() {
            super(Looper.getMainLooper());
        }

        @Override
        public void handleMessage(Message message) {
            if (message.what == BIND_APPLICATION) {
                application.onCreate();
                sendEmptyMessage(EXECUTE_TRANSACTION);
            } else {
                launch();
            }
        }
    }

    private void launch() {
        activity.onCreate(null);
        application.dispatchActivityCreated(activity, null);
        application.dispatchActivityStarted(activity);
        application.dispatchActivityResumed(activity);
        draw();
    }

    /** Each one takes 100 ms but the first. */
    private void draw() {
        activity.getWindow().draw(() -> SystemClock.sleep(frames > 0 ? 100 : 0), () -> {
            if (frames++ == 0) {
                focus(true);
            }
            handler.post(activity instanceof Consumer ? this::play : frames < FRAMES ? this::draw : this::search);
        });
    }

    @SuppressWarnings("unchecked")
    private void play() {
        ((Consumer<Runnable>) activity).accept(() -> handler.post(this::leave));
    }

    private void focus(boolean hasFocus) {
        activity.getWindow().focus(hasFocus);
        activity.onWindowFocusChanged(hasFocus);
    }

    private void search() {
        try {
            activity.getClass().getMethod("search", String.class).invoke(activity, "cherry");
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        handler.post(this::leave);
    }

    private void leave() {
        focus(false);
        application.dispatchActivityPaused(activity);
        application.dispatchActivityStopped(activity);
        application.dispatchActivityDestroyed(activity);
        Monitors.stop(); // waits until all is written
        System.exit(0);
    }

    public static void main(String[] classes) throws ReflectiveOperationException {
        System.load(System.getProperty("natives"));
        Looper.prepareMainLooper();
        new ActivityThread(classes).handler.sendEmptyMessage(BIND_APPLICATION);
        Looper.loop();
    }
}
