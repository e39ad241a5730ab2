import java.io.FileNotFoundException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import methodbeat.MethodBeat;

/**
 * What instrumented code calls in place of the recorder's class: counts the probes and passes them on,
 * so that a trace can be compared with the very run it is of. At exit the file that the property
 * {@code counting.file} names gets, for each thread, the number of its probes and of the entries by id:
 *
 * <pre>
 * thread 6780
 * 12 345
 * </pre>
 *
 * What is counted is recorded, and what is recorded is counted, even though threads may run on while
 * the hooks run side by side. For the recorder's hook calls {@code MethodBeat.stop}, which is
 * synchronized, and a thread here holds that monitor from the first probe until the counting is over:
 * until no probe can begin, and all that began have returned.
 */
public final class CountingBeat {
    private static final ConcurrentLinkedQueue<Probes> ALL = new ConcurrentLinkedQueue<>();
    private static final ThreadLocal<Probes> MINE = ThreadLocal.withInitial(CountingBeat::enlist);
    private static volatile boolean isOver;

    static {
        MethodBeat.isRecording(); // it begins, and takes this thread for the main one
        Guard guard = new Guard();
        guard.start();
        guard.holds.acquireUninterruptibly();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(guard), "counting end"));
    }

    public static void i(int id) {
        Probes mine = MINE.get();
        if (mine.begin()) {
            mine.enter(id);
            MethodBeat.i(id);
        }
        mine.isInside = false;
    }

    public static void o(int id) {
        Probes mine = MINE.get();
        if (mine.begin()) {
            mine.count++;
            MethodBeat.o(id);
        }
        mine.isInside = false;
    }

    public static void c(int id) {
        Probes mine = MINE.get();
        if (mine.begin()) {
            mine.count += 2; // the records that it is
            MethodBeat.c(id);
        }
        mine.isInside = false;
    }

    private static Probes enlist() {
        Probes probes = new Probes();
        ALL.add(probes);
        return probes;
    }

    private static void end(Guard guard) {
        isOver = true;
        for (Probes probes : ALL) {
            while (probes.isInside) {
                Thread.yield();
            }
        }
        guard.mayGo.release();
        try (PrintStream out = new PrintStream(System.getProperty("counting.file"))) {
            for (Probes probes : ALL) {
                probes.print(out);
            }
        } catch (FileNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Those of one thread, which alone writes them. */
    private static final class Probes {
        long[] entered = new long[1024];
        long count;
        volatile boolean isInside;

        /**
         * False when it is over. As the two are volatile, either this thread sees {@code isOver}, or the
         * thread that sets it sees {@code isInside}, and waits.
         */
        boolean begin() {
            isInside = true;
            return !isOver;
        }

        void enter(int id) {
            if (id >= entered.length) {
                entered = Arrays.copyOf(entered, Math.max(id + 1, 2 * entered.length));
            }
            entered[id]++;
            count++;
        }

        void print(PrintStream out) {
            StringBuilder text = new StringBuilder("thread " + count + "\n");
            for (int id = 0; id < entered.length; id++) {
                if (entered[id] > 0) {
                    text.append(id).append(' ').append(entered[id]).append('\n');
                }
            }
            out.print(text);
        }
    }

    /** Lets nobody stop the recorder. Touches nothing of the class around it, which waits for it. */
    private static final class Guard extends Thread {
        final Semaphore holds = new Semaphore(0);
        final Semaphore mayGo = new Semaphore(0);

        Guard() {
            super("counting guard");
            setDaemon(true);
        }

        @Override
        public void run() {
            synchronized (MethodBeat.class) {
                holds.release();
                mayGo.acquireUninterruptibly();
            }
        }
    }

    private CountingBeat() {}
}
