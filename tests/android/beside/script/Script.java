package script;

import android.app.Application;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import android.util.Printer;
import desk.Desk;
import java.lang.reflect.Field;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.LooperMode;
import stage.Measure;
import stage.Stage;

/**
 * What happens to an app, step by step: FACT begin and FACT end with the step's name and the time, FACT issue
 * with the time and what the watching side tells.
 */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
@Config(shadows = RealTime.Clock.class)
public class Script {
    private static final long LATE_MS = 1500; // by which a side may tell

    private ActivityController<Desk> desk;

    private static synchronized void fact(String name, Object value) {
        System.out.println("FACT " + name + " " + value);
    }

    /** Of the main thread. */
    private interface Step {
        void run(Desk desk) throws Exception;
    }

    private static void rest(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void step(String name, Runnable step) {
        fact("begin", System.nanoTime() + " " + name);
        step.run();
        rest(LATE_MS);
        fact("end", System.nanoTime() + " " + name);
    }

    /** A step that is one message of the screen's. */
    private void message(String name, Step step) {
        step(name, () -> {
            CountDownLatch done = new CountDownLatch(1);
            post(() -> {
                try {
                    step.run(desk.get());
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
                done.countDown();
            });
            await(done);
        });
    }

    private static void post(Runnable task) {
        new Handler(Looper.getMainLooper()).post(task);
    }

    private static void await(CountDownLatch done) {
        try {
            if (!done.await(2, TimeUnit.MINUTES)) {
                throw new AssertionError("a message has not run");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void tell() throws Exception {
        Side side = (Side) Class.forName(System.getProperty("script.side")).getConstructor().newInstance();
        RealTime time = new RealTime();
        time.start();
        Measure.begin();
        Application application = RuntimeEnvironment.getApplication();
        Stage.onMain(() -> {
            setActivityThread();
            new Desk().work(1); // an Application would do something, too
            side.start(application, json -> fact("issue", System.nanoTime() + " " + json));
        });
        step("cold start", () -> desk = Stage.launch(Desk.class, null));
        messages();
        stalls();
        other();
        if (android.os.Build.VERSION.SDK_INT >= 24) {
            Frames frames = new Frames(desk.get());
            step("60 frames a second, each 25 ms long", () -> fact("drawn", frames.draw(25, 0, 0)));
            step("60 frames a second, each tenth 5 late", () -> fact("drawn", frames.draw(14, 10, 5)));
        }
        Stage.leave(desk);
        rest(LATE_MS);
        fact("last", System.nanoTime());
        time.interrupt();
    }

    /** As on a device: here it is asked for, but not in its place. */
    public static void setActivityThread() {
        try {
            Class<?> type = Class.forName("android.app.ActivityThread");
            Field place = type.getDeclaredField("sCurrentActivityThread");
            place.setAccessible(true);
            place.set(null, type.getMethod("currentActivityThread").invoke(null));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private void messages() {
        message("message of 600 ms", desk -> desk.work(600));
        message("message of 720 ms", desk -> desk.work(720));
        message("message of 1,000 ms", desk -> desk.work(1000));
        message("message that waits 2.5 s", desk -> desk.await(2500));
        message("message that works 2.5 s", desk -> desk.work(2500));
        message("message that waits 5.5 s", desk -> desk.await(5500));
        message("message that waits 6.5 s", desk -> desk.await(6500));
        step("2,000 messages of 1 ms", this::many);
    }

    private void many() {
        CountDownLatch done = new CountDownLatch(2000);
        for (int i = 0; i < 2000; i++) {
            post(() -> {
                LockSupport.parkNanos(1000000);
                done.countDown();
            });
        }
        await(done);
    }

    private void stalls() {
        message("loop of 10 ms messages in one, 4 s", desk -> loop());
        message("stopped for 8 s in a message of 300 ms", desk -> stop(300));
        step("stopped for 8 s between messages", () -> {
            stop(0);
            rest(500);
        });
    }

    /** Passes Looper.loop, where Robolectric ends the thread for an Exception. */
    private static final class Quit extends Error {}

    private void loop() {
        for (int i = 0; i < 400; i++) {
            post(() -> LockSupport.parkNanos(10000000));
        }
        post(() -> {
            throw new Quit();
        });
        try {
            Looper.loop();
        } catch (Quit e) {
            // as meant
        }
    }

    /** The process as a whole, by a child of it. */
    private static void stop(long thenMs) {
        try {
            new ProcessBuilder("sh", "-c", "kill -STOP $PPID; sleep 8; kill -CONT $PPID").start();
            Thread.sleep(thenMs);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        if (thenMs == 0) {
            rest(200);
        }
    }

    /** Another library takes the place of the printer, and passes nothing on. */
    private void other() {
        Stage.onMain(() -> Looper.getMainLooper().setMessageLogging(new Printer() {
            @Override
            public void println(String line) {}
        }));
        rest(61000);
        for (int i = 0; i < 5; i++) { // the queue is idle in between
            Stage.settle();
            rest(100);
        }
        long since = SystemClock.uptimeMillis();
        message("message of 1,000 ms, another's printer set a minute ago", desk -> desk.work(1000));
        if (SystemClock.uptimeMillis() - since < 1000) {
            throw new AssertionError("the framework's clock stands still");
        }
    }
}
