package methodbeat;

import android.os.Handler;
import android.os.Looper;
import android.os.MessageQueue;
import android.os.SystemClock;
import android.util.Printer;
import java.lang.reflect.Field;

/**
 * The main thread's Looper. It has place for one printer only. Ours works as long as it is called, even
 * by a printer that was set later. Only when it is not called is it set again, and then calls that other
 * printer. Two libraries that do so would go on forever, so each new attempt waits longer.
 *
 * <p>All but ping is called on the main thread.
 */
final class MainLoop implements Pinger, MessageQueue.IdleHandler {
    private static final long LOOK_MS = 10000;
    private static final long LEAST_PAUSE_MS = 60000;
    private static final long MOST_PAUSE_MS = 64 * LEAST_PAUSE_MS;

    private final Handler handler = new Handler(Looper.getMainLooper());
    private final LoopPrinter printer = new LoopPrinter(this);
    private final Field place = findPlace();
    private boolean isInstalled; // as far as we know
    private boolean isWatching;
    private long lookedMs;
    private long freeMs; // not before that is the place taken again
    private long pauseMs = LEAST_PAUSE_MS;

    /** What pings ask for: one is out at a time. */
    private volatile int request;

    private final Runnable pong = new Runnable() {
        @Override
        public void run() {
            NativeMonitors.pong(request);
            check();
        }
    };

    private final Runnable check = new Runnable() {
        @Override
        public void run() {
            check();
        }
    };

    /** hearsMessages: else it is only asked for signs of life. False: it is watched already. */
    boolean start(boolean hearsMessages) {
        if (isWatching) {
            return false;
        }
        isWatching = true;
        Monitors.begin(this); // from now on it can be asked
        Monitors.end(null);
        if (!hearsMessages) {
            return true;
        }
        printer.hear();
        if (!isInstalled) {
            install(placed());
        }
        lookedMs = SystemClock.uptimeMillis();
        Looper.myQueue().addIdleHandler(this);
        return true;
    }

    /** Another printer may have been set before ours: then ours stays, and passes messages on. */
    void stop() {
        if (!isWatching) {
            return;
        }
        isWatching = false;
        Looper.myQueue().removeIdleHandler(this);
        printer.passOn();
        if (isInstalled && placed() == printer) {
            Looper.getMainLooper().setMessageLogging(printer.origin());
            isInstalled = false;
        }
    }

    /** Soon, in a message of its own. */
    void checkSoon() {
        if (isWatching && isInstalled) {
            handler.post(check);
        }
    }

    void awaitSystemMessage(LoopPrinter.LineListener listener) {
        printer.await(listener);
    }

    void afterFrame(Runnable listener) {
        printer.afterFrame(listener);
    }

    /** Called by the library's thread. */
    @Override
    public void ping(int request) {
        this.request = request;
        handler.postAtFrontOfQueue(pong);
    }

    @Override
    public boolean queueIdle() {
        long now = SystemClock.uptimeMillis();
        if (now - lookedMs >= LOOK_MS) {
            lookedMs = now;
            handler.post(check);
        }
        return true;
    }

    private void install(Printer origin) {
        printer.setOrigin(origin);
        Looper.getMainLooper().setMessageLogging(printer);
        isInstalled = true;
    }

    /** In a message that began after the printer was set: it has heard of it, or is cut off. */
    private void check() {
        if (!isWatching || !isInstalled || printer.isInside()) {
            return;
        }
        long now = SystemClock.uptimeMillis();
        Printer other = placed();
        if (now < freeMs || other == printer) {
            return;
        }
        if (place == null) {
            isInstalled = false;
            Log.say("messages are not watched any more: another printer took their place");
            return;
        }
        pauseMs = now - freeMs < pauseMs && freeMs != 0 ? Math.min(2 * pauseMs, MOST_PAUSE_MS)
                : LEAST_PAUSE_MS;
        freeMs = now + pauseMs;
        install(other);
    }

    /** The Looper's printer; null if there is none, or it cannot be read. */
    private Printer placed() {
        try {
            return place != null ? (Printer) place.get(Looper.getMainLooper()) : null;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    /**
     * Not part of the interface of Looper, and not needed: without it another's printer is not called.
     * From level 28 on Android lists what apps may reach so: this field without a limit of the level that
     * an app is made for (@UnsupportedAppUsage without maxTargetSdk), up to level 36. Apps for level 37 have
     * another MessageQueue, of which nothing is reached so.
     */
    private static Field findPlace() {
        try {
            Field field = Looper.class.getDeclaredField("mLogging");
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
