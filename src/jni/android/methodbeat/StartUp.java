package methodbeat;

import android.app.ActivityManager;
import android.content.Context;
import android.os.Handler;
import android.os.Looper;
import android.os.Process;
import android.os.SystemClock;

/** Tells how the process came to be. Times are System.nanoTime's. Main thread. */
final class StartUp implements LoopPrinter.LineListener, Runnable {
    private static final int PROCESS_STARTED = 0;
    private static final int START_REQUESTED = 1;
    private static final int INSTALLED = 3;
    private static final int CREATED = 4;
    private static final int FULLY_DRAWN = 6;

    private final boolean hearsMessages;
    private long createdNs; // 0: Application.onCreate is not over, as far as we know
    private boolean isTold;

    private StartUp(boolean hearsMessages) {
        this.hearsMessages = hearsMessages;
    }

    /** loop: whose first message is waited for, or null. */
    static StartUp begin(Context context, MainLoop loop) {
        StartUp start = new StartUp(loop != null);
        tellProcess(context);
        if (loop != null) {
            loop.awaitSystemMessage(start);
        }
        new Handler(Looper.getMainLooper()).postAtFrontOfQueue(start);
        return start;
    }

    static void fullyDrawn() {
        try {
            if (Library.LOADED) {
                NativeMonitors.app(FULLY_DRAWN, System.nanoTime(), 0);
            }
        } catch (Throwable e) {
            Log.say("that the app is fully drawn is not reported", e);
        }
    }

    private static void tellProcess(Context context) {
        try {
            if (AndroidMonitors.isLevel(24)) {
                Started24.tell();
            }
            if (AndroidMonitors.isLevel(33)) {
                Started33.tell();
            }
            NativeMonitors.app(INSTALLED, System.nanoTime(), isForeground() ? 1 : 0);
            if (AndroidMonitors.isLevel(35)) {
                Starts35.tell(context); // it knows better
            }
        } catch (Throwable e) {
            Log.say("the start of the process is not reported", e);
        }
    }

    private static boolean isForeground() {
        ActivityManager.RunningAppProcessInfo info = new ActivityManager.RunningAppProcessInfo();
        ActivityManager.getMyMemoryState(info);
        return info.importance == ActivityManager.RunningAppProcessInfo.IMPORTANCE_FOREGROUND;
    }

    /** The first message after Application.onCreate. */
    @Override
    public void run() {
        createdNs = System.nanoTime();
        if (!hearsMessages) {
            tell(0);
        }
    }

    /** Its number says what the process was started for. */
    @Override
    public void onSystemMessage(String line) {
        int at = line.lastIndexOf(": ");
        int what = 0;
        try {
            what = at >= 0 ? Integer.parseInt(line.substring(at + 2)) : 0;
        } catch (NumberFormatException e) {
            // another form of line: unknown
        }
        tell(what);
    }

    /** The latest time to tell: an Activity is created. */
    void onActivity() {
        tell(0);
    }

    private void tell(int what) {
        if (!isTold) {
            isTold = true;
            NativeMonitors.app(CREATED, createdNs != 0 ? createdNs : System.nanoTime(), what);
        }
    }

    private static void tellUptime(int what, long uptimeMs) {
        long agoMs = SystemClock.uptimeMillis() - uptimeMs;
        if (uptimeMs > 0 && agoMs >= 0) {
            NativeMonitors.app(what, System.nanoTime() - agoMs * 1000000, 0);
        }
    }

    /** Loaded from its level on. */
    private static final class Started24 {
        static void tell() {
            tellUptime(PROCESS_STARTED, Process.getStartUptimeMillis());
        }
    }

    /** Loaded from its level on. */
    private static final class Started33 {
        static void tell() {
            tellUptime(START_REQUESTED, Process.getStartRequestedUptimeMillis());
        }
    }
}
