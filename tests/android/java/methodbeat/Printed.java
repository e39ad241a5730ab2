package methodbeat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * What a message costs that is heard by a printer, beside the two texts that Android makes of it, on a JVM
 * without Android: FACT name value.
 */
public final class Printed {
    private static final String BEGIN = ">>>>> Dispatching to Handler (android.os.Handler) {1b2c} a.b.C$1@5e: 0";
    private static final String END = "<<<<< Finished to Handler (android.os.Handler) {1b2c} a.b.C$1@5e";
    private static final int ROUNDS = 20;
    private static final int MESSAGES = 500000;

    private static int lines;

    /** What the loop itself takes. */
    private static final class Nothing {
        void println(String line) {
            lines += line.length();
        }
    }

    public static void main(String[] arguments) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        LoopPrinter printer = new LoopPrinter(null);
        Nothing nothing = new Nothing();
        fact("started", Monitors.start());
        printer.hear();
        double[] heard = new double[ROUNDS];
        double[] unheard = new double[ROUNDS];
        long allocated = 0;
        for (int round = 0; round < ROUNDS; round++) {
            unheard[round] = time(nothing);
            long before = threads.getCurrentThreadAllocatedBytes();
            heard[round] = time(printer);
            if (round > 0) { // not what the first messages bring about
                allocated += threads.getCurrentThreadAllocatedBytes() - before;
            }
        }
        fact("allocated", allocated);
        fact("messages", (long) (ROUNDS - 1) * MESSAGES);
        fact("ns", median(heard) - median(unheard));
        Monitors.stop();
    }

    private static double time(LoopPrinter printer) {
        long begin = System.nanoTime();
        for (int i = 0; i < MESSAGES; i++) {
            printer.println(BEGIN);
            printer.println(END);
        }
        return (System.nanoTime() - begin) / (double) MESSAGES;
    }

    private static double time(Nothing printer) {
        long begin = System.nanoTime();
        for (int i = 0; i < MESSAGES; i++) {
            printer.println(BEGIN);
            printer.println(END);
        }
        return (System.nanoTime() - begin) / (double) MESSAGES;
    }

    private static double median(double[] values) {
        java.util.Arrays.sort(values);
        return values[values.length / 2];
    }

    private static void fact(String name, Object value) {
        System.out.println("FACT " + name + " " + value);
    }

    private Printed() {}
}
