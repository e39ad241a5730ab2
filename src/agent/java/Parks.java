package java.lang;

import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.StampedLock;
import methodbeat.ParkNote;

/** What LockSupport calls whenever a thread has noted what it parks for, and when it has forgotten that. */
public final class $MethodBeatParks {
    /** By numbers of threads: one that has parked for a lock before. Other threads, as of idle pools, end no such wait. */
    private static final boolean[] told = new boolean[1024];

    public static void i(int id) {}

    public static void o(int id) {
        Thread thread = Thread.currentThread();
        Object blocker = LockSupport.getBlocker(thread);
        int place = (int) thread.getId() & told.length - 1;
        if (blocker == null) {
            if (told[place]) {
                ParkNote.note(thread, null);
            }
        } else if (blocker instanceof AbstractOwnableSynchronizer || blocker instanceof StampedLock) {
            told[place] = true;
            ParkNote.note(thread, blocker);
        }
    }

    private $MethodBeatParks() {}
}
