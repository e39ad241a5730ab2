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
    static final long CATCH_ID = 0xFFFFF;

    private static final int CLOCK; // what the coarse clock says; 0 when recording is over
    private static final int WRITTEN;

    static {
        long[] layout = NativeProbes.layout();
        CLOCK = (int) layout[0];
        WRITTEN = (int) layout[1];
    }

    private LongBuffer memory;
    private int first; // of the ring's words
    private int end;
    private int next; // word to write
    private long lap; // slot + lap words are written once slot is

    /** Write to this memory from now on, which nobody has written to yet. */
    void point(LongBuffer memory, long[] layout) {
        this.memory = memory;
        first = (int) layout[2];
        end = first + (int) layout[3];
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
        push((long) id << TIME_BITS | now);
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
}
