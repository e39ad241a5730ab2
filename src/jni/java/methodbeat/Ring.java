package methodbeat;

import java.nio.LongBuffer;

/**
 * The main thread's ring, written from Java: the trace file's own memory (src/abi/tracefile.h), which
 * libmethodbeat maps, describes and copies from. Only the main thread calls anything here.
 *
 * <p>A word is stored before the count that covers it, so a killed process has lost at most the
 * record being written. So has a thread whose stack ends here: each call below may be the one that
 * fails, and leaves what the next record goes on with.
 *
 * <p>What compiled code is made of counts here: one object for good, so that its address is a
 * constant; one field that each record reads and writes; a lap without a call, behind which
 * everything would have to be read again.
 */
final class Ring {
    static final long ENTER = 1L << 63;
    static final int TIME_BITS = 43;
    static final long TIME_MASK = (1L << TIME_BITS) - 1;
    static final long CATCH_ID = 0xFFFFF;
    private static final long SUM = ENTER | CATCH_ID << TIME_BITS; // of calls that minTime dropped

    private static final int CLOCK; // what the coarse clock says; 0 when recording is over
    private static final int WRITTEN;
    private static final int SETTLED;
    private static final int HIGHEST;
    private static final int DROPPED;

    static {
        long[] layout = NativeProbes.layout();
        CLOCK = (int) layout[0];
        WRITTEN = (int) layout[1];
        SETTLED = (int) layout[2];
        HIGHEST = (int) layout[3];
        DROPPED = (int) layout[4];
    }

    private LongBuffer memory;
    private int first; // of the ring's words
    private int end;
    private long minTime; // calls shorter than this vanish at their exit; 0: none
    private boolean keepsSums; // of the time they took
    private int next; // word to write
    private long lap; // slot + lap words are written once slot is, less what was taken back

    /** Write to this memory from now on, which nobody has written to yet. */
    void point(LongBuffer memory, long[] layout) {
        this.memory = memory;
        first = (int) layout[5];
        end = first + (int) layout[6];
        minTime = layout[7];
        keepsSums = layout[9] != 0;
        next = first;
        lap = 1 - first;
    }

    /** False when recording is over. */
    boolean enter(int id) {
        long now = memory.get(CLOCK);
        if (now == 0) {
            return false;
        }
        push(ENTER | (long) id << TIME_BITS | now);
        return true;
    }

    boolean leave(int id) {
        long now = memory.get(CLOCK);
        if (now == 0) {
            return false;
        }
        if (minTime == 0) {
            push((long) id << TIME_BITS | now);
        } else if (!takeBack(id, now)) {
            push((long) id << TIME_BITS | now);
            memory.put(SETTLED, written());
        }
        return true;
    }

    /** Two words, as abi/record.h draws them. */
    boolean caught(int id) {
        long now = memory.get(CLOCK);
        if (now == 0) {
            return false;
        }
        push(CATCH_ID << TIME_BITS | now);
        push((long) id << TIME_BITS | now);
        return true;
    }

    private void push(long word) {
        int slot = next;
        if (slot == end) {
            slot = first;
            next = slot;
            lap += end - first;
        }
        memory.put(slot, word);
        next = slot + 1;
        memory.put(WRITTEN, lap + slot);
    }

    private long written() {
        return lap + next - 1;
    }

    /** If the newest word is the entry that id leaves, and not long ago, both vanish. */
    private boolean takeBack(int id, long now) {
        int entry = next - 1;
        long newest = unsettled(entry);
        if ((newest & ~TIME_MASK) == SUM) { // of calls inside
            newest = unsettled(--entry);
        }
        long time = now - newest & TIME_MASK;
        if ((newest & ~TIME_MASK) != (ENTER | (long) id << TIME_BITS) || time >= minTime) {
            return false;
        }
        long written = written();
        if (written > memory.get(HIGHEST)) {
            memory.put(HIGHEST, written);
        }
        memory.put(DROPPED, memory.get(DROPPED) + 1);
        next = keepsSums ? putSum(entry, time) : entry;
        memory.put(WRITTEN, written());
        return true;
    }

    /** The word there if it may still be taken back, else 0: those of the lap before stay. */
    private long unsettled(int slot) {
        return slot < first || lap + slot <= memory.get(SETTLED) ? 0 : memory.get(slot);
    }

    /** In place of the entry there, as put_sum does (recorder/probe.c). Where the next word goes. */
    private int putSum(int entry, long time) {
        long before = unsettled(entry - 1);
        boolean adds = (before & ~TIME_MASK) == SUM;
        int place = adds ? entry - 1 : entry;
        long sum = adds ? before + time : time;
        if ((sum & TIME_MASK) == 0) {
            return place;
        }
        memory.put(place, SUM | sum & TIME_MASK);
        return place + 1;
    }
}
