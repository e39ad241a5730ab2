package methodbeat;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import jdk.internal.vm.annotation.DontInline;

/**
 * The ring of one thread, written from Java: the trace file's own memory (src/abi/tracefile.h), which
 * libmethodbeat maps, describes and copies from. Only its thread calls anything here, but for
 * {@link #isFree}.
 *
 * <p>A word is stored before the count that covers it, so a killed process has lost at most the
 * record being written. So has a thread whose stack ends here: each call below may be the one that
 * fails, and leaves what the next record goes on with. The count lies in the ring only, where the
 * library's own probes go on from it too.
 *
 * <p>Time is the system's, read with each record, for a thread that makes fewer records than its share
 * while the coarse clock stands still; beyond, it stands still with that clock. So few records cost
 * more and are exact, and many cost little.
 */
final class Ring extends WeakReference<Thread> {
    private static final long ENTRY = 1L << 63;
    private static final int TIME_BITS = 43;
    private static final long TIME_MASK = (1L << TIME_BITS) - 1;
    private static final long CATCH_ID = 0xFFFFF;
    private static final int CLOCK = 256 / 8; // what the coarse clock says; 0 when recording is over
    private static final int CLOCK_UNIT_NS = 1000;
    private static final long NEVER = -1; // no time of that clock
    private static final int EXACT_WORDS = -2; // from where the count is: records of a tick, and
    private static final int COARSE_TICKS = 1; // ticks with more

    private static final ThreadLocal<Ring> MINE = new ThreadLocal<>();

    private LongBuffer memory; // null before the first ring
    private int written; // where the count is
    private int words;
    private int capacity;
    private long startNs; // time 0

    private int first; // of the half that is being written
    private long begin; // position of its first word
    private long limit; // its length, as unsigned numbers compare

    private long time; // of the next record, while the coarse clock says:
    private long tick;
    private long tickOfCredit;
    private int credit; // exact records that are left in this tick

    private int refusedSession; // had no ring for us

    private Ring(Thread thread) {
        super(thread);
    }

    /** The calling thread's, in the present session; null if that has none for it to write. */
    static Ring find(Thread thread, int session) {
        Ring ring = MINE.get();
        if (ring == null) {
            ring = new Ring(thread);
            NativeProbes.name(thread.getName());
            MINE.set(ring);
        }
        return ring.isOpen() || ring.refusedSession != session && ring.take(session) ? ring : null;
    }

    /** A ring without a thread, in memory that has place for all that Cost writes. */
    static Ring scratch(ByteBuffer bytes) {
        Ring ring = new Ring(null);
        ring.memory = bytes.order(ByteOrder.nativeOrder()).asLongBuffer();
        ring.written = CLOCK + 1;
        ring.words = CLOCK + 2;
        ring.capacity = ring.memory.capacity() - ring.words;
        ring.first = ring.words;
        ring.limit = Long.MIN_VALUE + ring.capacity;
        ring.tick = 1;
        ring.memory.put(CLOCK, ring.tick);
        return ring;
    }

    void begin() {
        memory.put(written, 0);
    }

    /** Its thread has ended. */
    boolean isFree() {
        Thread owner = get();
        return owner == null || !owner.isAlive();
    }

    private boolean isOpen() {
        return memory != null && memory.get(CLOCK) != 0;
    }

    private boolean take(int session) {
        long[] place = new long[4];
        ByteBuffer bytes = NativeProbes.ring(place);
        if (bytes == null) {
            refusedSession = session;
            return false;
        }
        LongBuffer taken = bytes.order(ByteOrder.nativeOrder()).asLongBuffer();
        limit = Long.MIN_VALUE; // until all is there
        tick = NEVER;
        tickOfCredit = NEVER;
        written = (int) place[0];
        words = (int) place[1];
        capacity = (int) place[2];
        startNs = place[3];
        memory = taken;
        return true;
    }

    /** All three: false when recording is over. */
    boolean enter(int id) {
        return push(ENTRY | (long) id << TIME_BITS);
    }

    boolean leave(int id) {
        return push((long) id << TIME_BITS);
    }

    /** Two words, as abi/record.h draws them. */
    boolean caught(int id) {
        return push(CATCH_ID << TIME_BITS) && push((long) id << TIME_BITS);
    }

    /** One of the three, by its number in MethodBeat. */
    boolean record(int kind, int id) {
        return kind == MethodBeat.ENTRY ? enter(id) : kind == MethodBeat.EXIT ? leave(id) : caught(id);
    }

    private boolean push(long head) {
        LongBuffer ring = memory;
        long position = ring.get(written);
        long index = position - begin;
        if (ring.get(CLOCK) != tick || index + Long.MIN_VALUE >= limit) {
            return pushSlowly(head);
        }
        ring.put(first + (int) index, head | time);
        ring.put(written, position + 1);
        return true;
    }

    /** The half is full, the clock ticked, is to be exact, or stopped. */
    @DontInline
    @java.lang.invoke.DontInline
    private boolean pushSlowly(long head) {
        LongBuffer ring = memory;
        long coarse = ring.get(CLOCK);
        if (coarse == 0) {
            return false;
        }
        readTime(coarse);
        long position = ring.get(written);
        if (position - begin + Long.MIN_VALUE >= limit) {
            beginHalf(position);
        }
        ring.put(first + (int) (position - begin), head | time);
        ring.put(written, position + 1);
        return true;
    }

    private void readTime(long coarse) {
        if (coarse != tickOfCredit) {
            tickOfCredit = coarse;
            credit = (int) memory.get(written + EXACT_WORDS);
        }
        long exact = (System.nanoTime() - startNs) / CLOCK_UNIT_NS & TIME_MASK;
        boolean isBehind = (exact - coarse & TIME_MASK) > TIME_MASK / 2;
        time = isBehind ? coarse : exact;
        tick = --credit > 0 ? NEVER : coarse;
        if (credit == 0) { // the count of such ticks follows that of words
            long ticks = memory.get(written + COARSE_TICKS) + 1;
            memory.put(written + COARSE_TICKS, ticks);
            if ((ticks & ticks - 1) == 0) {
                Cost.look();
            }
        }
    }

    private void beginHalf(long position) {
        int middle = capacity / 2;
        int slot = (int) (position % capacity);
        boolean isSecond = slot >= middle;
        limit = Long.MIN_VALUE;
        first = words + (isSecond ? middle : 0);
        begin = position - slot + (isSecond ? middle : 0);
        limit = Long.MIN_VALUE + (isSecond ? capacity - middle : middle);
        NativeProbes.beginHalf();
    }
}
