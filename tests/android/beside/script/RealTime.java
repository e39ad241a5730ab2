package script;

import android.os.SystemClock;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowPausedSystemClock;
import org.robolectric.shadows.ShadowSystemClock;

/** Has the framework's clock go with System.nanoTime, as it does on a device. Config has to name its Clock, too. */
public final class RealTime extends Thread {
    private static final long TICK_MS = 2;

    /** Who sleeps only waits: Robolectric's moves the clock on instead, and returns at once. */
    @Implements(SystemClock.class)
    public static class Clock extends ShadowPausedSystemClock {
        @Implementation
        protected static void sleep(long ms) {
            long end = System.nanoTime() + ms * 1000000;
            for (long left = ms * 1000000; left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }

    RealTime() {
        super("real-time");
        setDaemon(true);
        advance();
    }

    private static void advance() {
        ShadowSystemClock.advanceBy(Duration.ofMillis(System.nanoTime() / 1000000 - SystemClock.uptimeMillis()));
    }

    @Override
    public void run() {
        try {
            for (;;) {
                Thread.sleep(TICK_MS);
                advance();
            }
        } catch (InterruptedException e) {
            // the test is over
        }
    }
}
