package methodbeat;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What a record costs at the moment. An interpreter takes a hundred times as long for one as compiled
 * code does, and a program's start is interpreted: 1.5 us mapped and 0.3 us native on Android 11, 3.7 and
 * 1.1 us on OpenJDK 17. So the first one looks, and later ones, fewer and fewer, until it is quick.
 *
 * <p>A record is the way to the recorder, taken with an id that no method has, and what it does, to a ring
 * without a thread or in a native call that does nothing.
 */
final class Cost {
    private static final int BATCHES = 7; // of which the quickest counts: the machine has other things to do
    private static final int PAIRS = 8;
    private static final int NO_ID = 0;
    private static final int ANY_ID = 1;

    private static final AtomicBoolean LOOKS = new AtomicBoolean();
    private static Ring scratch; // null in the native flavour
    private static volatile boolean isOver;

    /** Before the first probe is over. */
    static void prepare(boolean isMapped) {
        scratch = isMapped ? Ring.scratch(NativeProbes.scratch()) : null;
    }

    /** Takes as long as some 200 records. */
    static void look() {
        if (isOver || !LOOKS.compareAndSet(false, true)) {
            return;
        }
        try {
            isOver = !NativeProbes.cost(measure());
        } catch (Throwable e) { // such as the stack's end: not worth a message
            isOver = true;
        } finally {
            LOOKS.set(false);
        }
    }

    private static int measure() {
        long least = Long.MAX_VALUE;
        if (scratch != null) {
            scratch.begin();
        }
        for (int batch = 0; batch < BATCHES; batch++) {
            long start = System.nanoTime();
            for (int pair = 0; pair < PAIRS; pair++) {
                recordPair();
            }
            least = Math.min(least, System.nanoTime() - start);
        }
        return (int) Math.min(Math.max(least / (2 * PAIRS), 1), Integer.MAX_VALUE);
    }

    private static void recordPair() {
        MethodBeat.i(NO_ID);
        MethodBeat.o(NO_ID);
        if (scratch != null) {
            scratch.enter(ANY_ID);
            scratch.leave(ANY_ID);
        } else if (Library.IS_CRITICAL) {
            CriticalProbes.i(NO_ID);
            CriticalProbes.o(NO_ID);
        } else {
            NativeProbes.i(NO_ID);
            NativeProbes.o(NO_ID);
        }
    }

    private Cost() {}
}
