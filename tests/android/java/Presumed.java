import android.app.Activity;
import android.os.Build;
import android.os.Handler;
import android.os.Looper;
import android.util.Printer;
import android.view.Choreographer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.LooperMode;
import stage.Stage;

/** What the glue presumes of the framework, a line each: FACT name value. */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
public class Presumed {
    /** Reports each change of its focus. */
    public static class Screen extends Activity {
        @Override
        public void onWindowFocusChanged(boolean hasFocus) {
            super.onWindowFocusChanged(hasFocus);
            fact("focus", hasFocus + " by " + (isBelow("android.view.ViewRootImpl") ? "framework" : "test"));
        }
    }

    private static void fact(String name, Object value) {
        System.out.println("FACT " + name + " " + value);
    }

    private static void listen(Printer printer) {
        Looper.getMainLooper().setMessageLogging(printer);
    }

    private static boolean isBelow(String type) {
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            if (frame.getClassName().startsWith(type)) {
                return true;
            }
        }
        return false;
    }

    private static int loopsBelow() {
        int loops = 0;
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            if (frame.getClassName().equals("android.os.Looper")
                    && frame.getMethodName().equals("loop")) {
                loops++;
            }
        }
        return loops;
    }

    /** Lines from the one whose message sets it, > for a begin and < for an end. */
    private static final class Lines implements Printer {
        final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void println(String line) {
            all.add(line);
        }

        String signs() {
            StringBuilder signs = new StringBuilder();
            for (String line : all) {
                signs.append(line.charAt(0));
            }
            return signs.toString();
        }
    }

    @Test
    public void tell() throws Exception {
        fact("level", Build.VERSION.SDK_INT);
        Stage.settle();
        tellPrinter();
        tellMany();
        tellNested();
        tellThrown();
        tellFrame();
        Stage.launch(Screen.class, null);
        Stage.onMain(() -> listen(null));
    }

    /** Set in a message, it hears from the next one on; replaced in one, it still hears its end. */
    private static void tellPrinter() {
        Lines first = new Lines();
        Lines second = new Lines();
        Stage.onMain(() -> listen(first));
        Stage.onMain(() -> listen(second));
        Stage.settle();
        fact("set-inside", first.signs());
        Handler handler = new Handler(Looper.getMainLooper());
        handler.post(new Named());
        Stage.settle();
        for (String line : second.all) {
            if (line.contains("Named")) {
                fact("line", line.replaceAll("\\{[0-9a-f]+\\}", "{..}").replaceAll("@[0-9a-f]+", "@.."));
            }
        }
    }

    private static final class Named implements Runnable {
        @Override
        public void run() {}
    }

    private static void tellMany() throws InterruptedException {
        Lines lines = new Lines();
        Handler handler = new Handler(Looper.getMainLooper());
        CountDownLatch done = new CountDownLatch(1000);
        Stage.onMain(() -> listen(lines));
        for (int i = 0; i < 1000; i++) {
            handler.post(done::countDown);
        }
        done.await();
        Stage.onMain(() -> listen(null));
        Stage.settle();
        fact("paired", lines.signs().matches("(><){1000,}"));
    }

    /** No Exception: of one that passes Looper.loop Robolectric makes the end of the thread. */
    private static final class Quit extends Error {}

    private static void tellNested() {
        Handler handler = new Handler(Looper.getMainLooper());
        Stage.onMain(() -> {
            handler.post(() -> fact("nested-loops", loopsBelow()));
            handler.post(() -> {
                throw new Quit();
            });
            try {
                Looper.loop();
            } catch (Quit e) {
                // as meant
            }
            fact("loops", loopsBelow());
        });
    }

    /** A message that throws has no end. */
    private static void tellThrown() {
        Lines lines = new Lines();
        Handler handler = new Handler(Looper.getMainLooper());
        Stage.onMain(() -> {
            listen(lines);
            handler.post(() -> {
                throw new Quit();
            });
            try {
                Looper.loop();
            } catch (Quit e) {
                // as meant
            }
            listen(null);
        });
        fact("thrown", lines.signs());
    }

    private static void tellFrame() throws InterruptedException {
        Lines lines = new Lines();
        CountDownLatch drawn = new CountDownLatch(1);
        Stage.onMain(() -> {
            listen(lines);
            Choreographer.getInstance().postFrameCallback(time -> drawn.countDown());
        });
        drawn.await();
        Stage.settle();
        boolean isNamed = false;
        for (String line : lines.all) {
            isNamed |= line.startsWith(">>>>> Dispatching to Handler (android.view.Choreographer$FrameHandler)");
        }
        fact("frame-is-named", isNamed);
    }
}
