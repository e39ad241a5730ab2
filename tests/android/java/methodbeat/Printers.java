package methodbeat;

import android.app.Activity;
import android.app.Application;
import android.os.Handler;
import android.os.Looper;
import android.util.Printer;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.LooperMode;
import org.robolectric.shadows.ShadowSystemClock;
import stage.Stage;

/** The main thread's messages, and who else hears of them: FACT name value. */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
public class Printers {
    private static final int MANY = 10000;

    /** A message that is counted. */
    private static final class Counted implements Runnable {
        @Override
        public void run() {}
    }

    /** Another library's: counts lines, and passes them on if it is told to. */
    private static final class Other implements Printer {
        final AtomicInteger lines = new AtomicInteger();
        Printer next;

        @Override
        public void println(String line) {
            if (line.contains("Printers$Counted")) {
                lines.incrementAndGet();
            }
            if (next != null) {
                next.println(line);
            }
        }
    }

    /** Passes Looper.loop, where Robolectric ends the thread for an Exception. */
    private static final class Quit extends Error {}

    private static void fact(String name, Object value) {
        System.out.println("FACT " + name + " " + value);
    }

    private static Object get(Class<?> type, Object of, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Printer placed() {
        return (Printer) get(Looper.class, Looper.getMainLooper(), "mLogging");
    }

    /** From the one that the Looper calls: # ours, o another. */
    private static String chain() {
        StringBuilder chain = new StringBuilder();
        Printer printer = placed();
        while (printer != null && chain.length() < 10) {
            boolean isOurs = printer instanceof LoopPrinter;
            chain.append(isOurs ? '#' : 'o');
            printer = isOurs ? ((LoopPrinter) printer).origin() : ((Other) printer).next;
        }
        return chain.toString();
    }

    private static Handler handler() {
        return new Handler(Looper.getMainLooper());
    }

    private static void set(Printer printer) {
        Stage.onMain(() -> Looper.getMainLooper().setMessageLogging(printer));
    }

    /** In messages of their own. */
    private static void checks(MainLoop loop, int count) {
        for (int i = 0; i < count; i++) {
            Stage.onMain(loop::checkSoon);
        }
        Stage.settle();
    }

    /** How many lines come to it for ten messages. */
    private static int heard(Other other) {
        int before = other.lines.get();
        for (int i = 0; i < 10; i++) {
            handler().post(new Counted());
        }
        Stage.settle();
        return other.lines.get() - before;
    }

    @Test
    public void tell() throws Exception {
        Stage.onMain(() -> { // the recorder begins with the first probe
            MethodBeat.i(1);
            MethodBeat.o(1);
        });
        Other first = new Other();
        set(first);
        Monitors.listen(issue -> fact("issue", issue.json));
        Stage.onMain(() -> fact("started", AndroidMonitors.start((Application) RuntimeEnvironment.getApplication())));
        MainLoop loop = (MainLoop) get(AndroidMonitors.class, get(AndroidMonitors.class, null, "ONE"), "loop");
        LoopPrinter printer = (LoopPrinter) get(MainLoop.class, loop, "printer");
        fact("chain", chain());
        many();
        handler().post(new Sleeper());
        Stage.settle();
        Other last = others(first, loop);
        throwing(printer);
        nested();
        Stage.settle();
        Stage.onMain(() -> Monitors.stop());
        fact("stopped", chain());
        fact("stopped-hears", heard(last));
        hasty();
        vendors();
        deaf(loop);
    }

    /** The main thread is busy: what another thread has started or stopped comes to it later. */
    private static void hasty() {
        Application application = (Application) RuntimeEnvironment.getApplication();
        Stage.onMain(() -> elsewhere(() -> {
            AndroidMonitors.start(application);
            Monitors.stop();
        }));
        Stage.settle();
        fact("stopped-at-once", chain());
        Stage.onMain(() -> AndroidMonitors.start(application));
        Stage.onMain(() -> {
            elsewhere(() -> Monitors.stop());
            AndroidMonitors.start(application);
        });
        Stage.settle();
        fact("started-before-the-end", chain());
        Stage.onMain(() -> Monitors.stop());
        fact("stopped-again", chain());
    }

    private static void elsewhere(Runnable task) {
        Thread thread = new Thread(task);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Lines that are no Looper's: a few do no harm, and with nothing else it is not Android. */
    private static void vendors() {
        LoopPrinter few = new LoopPrinter(null);
        LoopPrinter none = new LoopPrinter(null);
        few.hear();
        none.hear();
        for (int i = 0; i < 99; i++) {
            few.println("vendor: " + i);
            none.println("vendor: " + i);
        }
        none.println("");
        fact("vendor-few", isHeard(few));
        fact("vendor-only", isHeard(none));
        for (int i = 0; i < 1000; i++) {
            few.println("vendor: " + i);
        }
        fact("vendor-later", isHeard(few));
    }

    private static boolean isHeard(LoopPrinter printer) {
        printer.println(">>>>> Dispatching to Handler (a.b.C) {1} null: 0");
        boolean isHeard = printer.isInside();
        printer.println("<<<<< Finished to Handler (a.b.C) {1} null");
        return isHeard && !printer.isInside();
    }

    /** Without messages the loop is asked for a sign of life, and the place is everybody's. */
    private static void deaf(MainLoop loop) {
        Monitors.set("stall_ms", "300:500");
        Monitors.set("gap_ms", "600000");
        Other other = new Other();
        set(other);
        Stage.onMain(() -> AndroidMonitors.start((Application) RuntimeEnvironment.getApplication(), "messages=none"));
        fact("deaf", chain());
        ActivityController<Activity> shown = Stage.launch(Activity.class, null); // in the background nobody asks
        int last = (int) get(MainLoop.class, loop, "request");
        handler().post(() -> {
            work(60, () -> (int) get(MainLoop.class, loop, "request") != last);
            work(3, () -> false);
        });
        Stage.settle();
        Stage.finish(shown);
        Stage.onMain(() -> Monitors.stop());
    }

    /** Until it is enough, or so many seconds. */
    private static void work(int seconds, BooleanSupplier isEnough) {
        long begin = System.nanoTime();
        while (!isEnough.getAsBoolean() && System.nanoTime() - begin < seconds * 1000000000L) {
            Thread.yield();
        }
    }

    private static void many() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(MANY);
        Handler handler = handler();
        for (int i = 0; i < MANY; i++) {
            handler.post(done::countDown);
        }
        done.await();
    }

    /** Its class is in the text of the message. */
    static final class Sleeper implements Runnable {
        @Override
        public void run() {
            try {
                Thread.sleep(1500);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Gives the one whose place is taken at the end. */
    private static Other others(Other first, MainLoop loop) {
        Other top = new Other();
        top.next = placed();
        set(top);
        checks(loop, 100);
        fact("other-on-top", chain());
        fact("each-hears", heard(first) + " " + heard(top));

        Other thief = new Other();
        set(thief);
        checks(loop, 1);
        fact("replaced", chain());
        fact("thief-hears", heard(thief));
        Other again = new Other();
        set(again);
        checks(loop, 3);
        fact("replaced-again", chain());
        ShadowSystemClock.advanceBy(Duration.ofSeconds(61));
        checks(loop, 3);
        fact("after-a-minute", chain());
        set(again);
        ShadowSystemClock.advanceBy(Duration.ofSeconds(61));
        checks(loop, 3);
        fact("too-soon", chain());
        ShadowSystemClock.advanceBy(Duration.ofSeconds(61));
        checks(loop, 3);
        fact("after-two", chain());
        return again;
    }

    private static void throwing(LoopPrinter printer) {
        Handler handler = handler();
        AtomicInteger deepest = new AtomicInteger();
        Stage.onMain(() -> {
            for (int i = 0; i < 1000; i++) {
                handler.post(() -> {
                    deepest.accumulateAndGet((int) get(LoopPrinter.class, printer, "depth"), Math::max);
                    throw new Quit();
                });
                try {
                    Looper.loop();
                } catch (Quit e) {
                    // as meant
                }
            }
        });
        fact("deepest", deepest); // the message that loops, and the one in it
        Stage.settle();
        Stage.onMain(() -> fact("depth", get(LoopPrinter.class, printer, "depth")));
    }

    /** Longer than what is slow, in short messages within one. */
    private static void nested() {
        Handler handler = handler();
        Stage.onMain(() -> {
            for (int i = 0; i < 200; i++) {
                handler.post(() -> LockSupport.parkNanos(10000000));
            }
            handler.post(() -> {
                throw new Quit();
            });
            try {
                Looper.loop();
            } catch (Quit e) {
                // as meant
            }
        });
    }
}
