package methodbeat;

/**
 * The recorder design of upstream as its articles describe it, written anew: one long[] for the main
 * thread, told by its id, a time that a thread refreshes every 5 ms, a guard against nested calls, a
 * pile-up check against the oldest mark. With -Dbench.nano_time=true, System.nanoTime() is asked for
 * each record instead.
 */
public final class MethodBeat {
    private static final int SIZE = 1000000;
    private static final int MAX_ID = 0xFFFFF;
    private static final long TIME_MASK = 0x7FFFFFFFFFFL;

    /** A pinned index; invalid once the writer comes round to it. */
    private static final class Mark {
        int index;
        boolean valid;
        Mark next;
    }

    private static final boolean ASKS_CLOCK = Boolean.getBoolean("bench.nano_time");

    private static final long[] buffer = new long[SIZE];
    private static final long mainThreadId = Thread.currentThread().getId();
    private static final long startMs = System.nanoTime() / 1000000;

    private static volatile int status = 1;
    private static volatile long timeMs;
    private static int index;
    private static int lastIndex = -1;
    private static boolean inside;
    private static Mark marks;

    static {
        Thread updater = new Thread(MethodBeat::update, "bench updater");
        updater.setDaemon(true);
        updater.start();
    }

    private static void update() {
        while (status > 0) {
            timeMs = System.nanoTime() / 1000000 - startMs;
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void i(int id) {
        if (status <= 0 || id >= MAX_ID) {
            return;
        }
        if (Thread.currentThread().getId() == mainThreadId) {
            if (inside) {
                return;
            }
            inside = true;
            store(id, true);
            inside = false;
        }
    }

    public static void o(int id) {
        if (status <= 0 || id >= MAX_ID) {
            return;
        }
        if (Thread.currentThread().getId() == mainThreadId) {
            store(id, false);
        }
    }

    private static void store(int id, boolean enters) {
        if (index >= SIZE) {
            index = 0;
        }
        long word = enters ? 1L << 63 : 0L;
        word |= (long) id << 43;
        word |= now() & TIME_MASK;
        buffer[index] = word;
        checkMarks(index);
        lastIndex = index;
        index++;
    }

    private static long now() {
        return ASKS_CLOCK ? System.nanoTime() - startMs * 1000000 >> 4 : timeMs;
    }

    private static void checkMarks(int at) {
        while (marks != null && (marks.index == at || marks.index == -1 && lastIndex == SIZE - 1)) {
            marks.valid = false;
            marks = marks.next;
        }
    }

    private MethodBeat() {}
}
