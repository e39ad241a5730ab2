package methodbeat;

import java.lang.ref.WeakReference;

/** A ring of the recorder that virtual threads have one after the other. */
final class Lane {
    /** The library's number for it, which also tells the recording and the kind. */
    final long number;

    /** Null while it lies in a pool. */
    volatile WeakReference<Thread> holder;

    Lane(long number) {
        this.number = number;
    }

    /** As in recorder/lanes.h: 0 has the longest rings. */
    int kind() {
        return (int) (number >>> 24) & 0xFF;
    }

    int session() {
        return (int) (number >>> 32);
    }

    /** Its holder has ended inside calls, which it left without a word of theirs. */
    boolean isOrphan() {
        WeakReference<Thread> by = holder;
        if (by == null) {
            return false;
        }
        Thread thread = by.get();
        return thread == null || !thread.isAlive();
    }
}
