package methodbeat;

import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Stands in for the recorder where the probes themselves are judged: checks that every {@code o}
 * closes the innermost open {@code i} of its thread, and says at exit
 *
 * <pre>methodbeat: 7 in, 7 out, 0 unmatched in, 0 unmatched out, 0 open, 1 threads, 1 at</pre>
 *
 * An {@code i} that an {@code o} further out passes by is unmatched; one above a {@code c} was thrown
 * out of, and counts as out; one whose thread is still inside when the program ends is open. System properties:
 * <ul>
 * <li>{@code methodbeat.count=FILE}: the line goes there, not to standard error;
 * <li>{@code methodbeat.counts=FILE}: {@code 12 345 678 90} says that 12 was entered 345 times, and
 * lasted while its threads had 678 entries, 90 of them outside the calls it made: a clock that runs
 * alike in each run of a program that does the same. What is open at the end lasts until then;
 * <li>{@code methodbeat.calls=FILE}: every call as a line, {@code i 12}, {@code o 12},
 * {@code c 12} or {@code at NAME true}, in one order over all threads.
 * </ul>
 * Speaks Java 8, and no more of the library than a stack per thread needs. The library is never
 * instrumented together with this class.
 */
public final class MethodBeat {
    private static final ConcurrentLinkedQueue<Calls> ALL = new ConcurrentLinkedQueue<Calls>();
    private static final ThreadLocal<Calls> MINE = new ThreadLocal<Calls>() {
        @Override
        protected Calls initialValue() {
            Calls calls = new Calls();
            ALL.add(calls);
            return calls;
        }
    };
    private static final PrintStream TRACE = open(System.getProperty("methodbeat.calls"), null);

    static {
        Runtime.getRuntime().addShutdownHook(new Thread("methodbeat totals") {
            @Override
            public void run() {
                report();
            }
        });
    }

    private MethodBeat() {
    }

    public static void i(int id) {
        MINE.get().enter(id);
        trace('i', id);
    }

    public static void o(int id) {
        MINE.get().leave(id);
        trace('o', id);
    }

    public static void c(int id) {
        MINE.get().caught(id);
        trace('c', id);
    }

    public static void at(android.app.Activity activity, boolean hasFocus) {
        MINE.get().focused++;
        if (TRACE != null) {
            synchronized (TRACE) {
                TRACE.println("at " + activity.getClass().getName() + " " + hasFocus);
            }
        }
    }

    private static void trace(char kind, int id) {
        if (TRACE != null) {
            synchronized (TRACE) {
                TRACE.print(kind);
                TRACE.print(' ');
                TRACE.println(id);
            }
        }
    }

    private static PrintStream open(String file, PrintStream otherwise) {
        if (file == null) {
            return otherwise;
        }
        try {
            OutputStream out = new FileOutputStream(file);
            return new PrintStream(out, true, "UTF-8");
        } catch (java.io.IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static void report() {
        long in = 0;
        long out = 0;
        long unmatchedIn = 0;
        long unmatchedOut = 0;
        long open = 0;
        long focused = 0;
        int threads = 0;
        for (Calls calls : ALL) {
            in += calls.in;
            out += calls.out + calls.thrown;
            unmatchedIn += calls.unmatchedIn;
            unmatchedOut += calls.unmatchedOut;
            open += calls.depth;
            focused += calls.focused;
            threads++;
        }
        PrintStream to = open(System.getProperty("methodbeat.count"), System.err);
        to.println("methodbeat: " + in + " in, " + out + " out, " + unmatchedIn + " unmatched in, "
                + unmatchedOut + " unmatched out, " + open + " open, " + threads + " threads, "
                + focused + " at");
        to.flush();
        PrintStream counts = open(System.getProperty("methodbeat.counts"), null);
        if (counts != null) {
            reportCounts(counts);
        }
    }

    private static void reportCounts(PrintStream to) {
        long[] sums = new long[1 << 20];
        long[] totals = new long[1 << 20];
        long[] owns = new long[1 << 20];
        for (Calls calls : ALL) {
            calls.close(0);
            long[] entered = calls.entered;
            for (int id = 0; id < entered.length; id++) {
                sums[id] += entered[id];
                totals[id] += calls.total[id];
                owns[id] += calls.own[id];
            }
        }
        StringBuilder text = new StringBuilder();
        for (int id = 0; id < sums.length; id++) {
            if (sums[id] > 0) {
                text.append(id).append(' ').append(sums[id]).append(' ').append(totals[id])
                        .append(' ').append(owns[id]).append('\n');
            }
        }
        to.print(text);
        to.close();
    }

    /** What one thread did. Only that thread writes it; the totals may miss its very last calls. */
    private static final class Calls {
        int[] open = new int[64];
        long[] since = new long[64];
        long[] entered = new long[1024];
        long[] total = new long[1024];
        long[] own = new long[1024];
        int[] active = new int[1024];
        int depth;
        long in;
        long out;
        long unmatchedIn;
        long unmatchedOut;
        long thrown; // out of, into a handler that said so
        long focused;

        void enter(int id) {
            in++;
            if (depth > 0) {
                own[open[depth - 1]]++;
            }
            if (id >= entered.length) {
                int size = Math.max(id + 1, 2 * entered.length);
                own = java.util.Arrays.copyOf(own, size);
                total = java.util.Arrays.copyOf(total, size);
                active = java.util.Arrays.copyOf(active, size);
                entered = java.util.Arrays.copyOf(entered, size);
            }
            entered[id]++;
            active[id]++;
            if (depth == open.length) {
                open = java.util.Arrays.copyOf(open, 2 * depth);
                since = java.util.Arrays.copyOf(since, 2 * depth);
            }
            since[depth] = in;
            open[depth++] = id;
        }

        /** Calls inside one of the same method count with that. */
        private void close(int at) {
            while (depth > at) {
                int id = open[--depth];
                if (--active[id] == 0) {
                    total[id] += in - since[depth];
                }
            }
        }

        void leave(int id) {
            out++;
            int at = depth - 1;
            while (at >= 0 && open[at] != id) {
                at--;
            }
            if (at < 0) {
                unmatchedOut++;
                return;
            }
            unmatchedIn += depth - 1 - at;
            close(at);
        }

        /** Ends what is open above the innermost call of this method: an exception did. */
        void caught(int id) {
            int at = depth - 1;
            while (at >= 0 && open[at] != id) {
                at--;
            }
            if (at < 0) {
                unmatchedOut++;
                return;
            }
            thrown += depth - 1 - at;
            close(at + 1);
        }
    }
}
