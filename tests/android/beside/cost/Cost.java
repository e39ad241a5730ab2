package cost;

import android.app.Application;
import android.os.Looper;
import android.util.Printer;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.LooperMode;
import script.RealTime;
import script.Script;
import script.Side;
import stage.Measure;
import stage.Stage;

/**
 * What a message costs with each side's printer, in turn: FACT NAME, nanoseconds and bytes. Printers are called
 * with the same two lines, so what the framework does to make them is not in it.
 */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
@Config(shadows = RealTime.Clock.class)
public class Cost {
    private static final int MESSAGES = 10000;
    private static final int ROUNDS = 60;
    private static final String BEGIN = ">>>>> Dispatching to Handler (android.view.Choreographer$FrameHandler)"
            + " {7a3c8e5} android.view.Choreographer$FrameDisplayEventReceiver@3f2b1c: 0";
    private static final String END = "<<<<< Finished to Handler (android.view.Choreographer$FrameHandler)"
            + " {7a3c8e5} android.view.Choreographer$FrameDisplayEventReceiver@3f2b1c";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The printer that a side sets where there is none; it is taken out again. */
    private static Printer printerOf(String side) {
        try {
            Application application = RuntimeEnvironment.getApplication();
            ((Side) Class.forName(side).getConstructor().newInstance()).start(application, json -> {});
            Printer printer = Measure.placed();
            Looper.getMainLooper().setMessageLogging(null);
            return printer;
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static void measure(String name, Printer printer, boolean tells) {
        long bytes = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        long begin = System.nanoTime();
        for (int i = 0; i < MESSAGES; i++) {
            printer.println(BEGIN);
            printer.println(END);
        }
        long took = System.nanoTime() - begin;
        bytes = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - bytes;
        if (tells) {
            System.out.println("FACT " + name + " " + (double) took / MESSAGES + " " + (double) bytes / MESSAGES);
        }
    }

    @Test
    public void tell() {
        Map<String, Printer> printers = new LinkedHashMap<>();
        printers.put("none", line -> {});
        Stage.onMain(Script::setActivityThread);
        for (String side : System.getProperty("cost.sides").split(",")) {
            Stage.onMain(() -> printers.put(side, printerOf(side)));
        }
        Stage.settle();
        for (int round = 0; round < ROUNDS; round++) {
            boolean tells = round >= ROUNDS / 2; // the rest is for the compiler
            printers.forEach((name, printer) -> Stage.onMain(() -> measure(name, printer, tells)));
        }
    }
}
