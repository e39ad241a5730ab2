package methodbeat;

import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * The open calls of one virtual thread, and the lane that it has while there are any. What lies
 * between two native calls may happen on different threads of the system, and does no harm there: all
 * that is known is the virtual thread's own.
 *
 * <p>Ids and not only their number: a call may end without an exit of its own, when an exception
 * passes or its method is muted, and it is with the outermost one that the lane goes back.
 */
final class VirtualCalls {
    private static final ThreadLocal<VirtualCalls> MINE = new ThreadLocal<>();

    private final WeakReference<Thread> thread;
    private final LanePool pool;
    private Lane lane; // null: all were taken at the outermost call
    private int[] open = new int[8];
    private int depth;

    private VirtualCalls(Thread thread) {
        this.thread = new WeakReference<>(thread);
        pool = LanePool.of(thread);
    }

    /** On the calling thread, which is a virtual one; kinds are MethodBeat's. */
    static void record(Thread thread, int kind, int id) {
        VirtualCalls mine = MINE.get();
        if (mine == null && kind == MethodBeat.ENTRY) {
            mine = begin(thread);
            if (mine == null) {
                NativeProbes.pass();
            }
        }
        if (mine == null) {
            return;
        }
        if (kind == MethodBeat.ENTRY) {
            mine.enter(id);
        } else if (kind == MethodBeat.EXIT) {
            mine.exit(id);
        } else {
            mine.goOn(id);
        }
    }

    private static VirtualCalls begin(Thread thread) {
        try {
            VirtualCalls mine = new VirtualCalls(thread);
            MINE.set(mine);
            return mine;
        } catch (Throwable e) { // memory or stack are at their end; maybe not with its next call
            return null;
        }
    }

    /** Noted first: if the stack ends below, an outer exit takes it away again. */
    private void enter(int id) {
        dropMuted();
        if (depth == open.length) {
            open = Arrays.copyOf(open, 2 * depth);
        }
        open[depth++] = id;
        if (lane != null && NativeProbes.iLane(lane.number, id)) {
            return;
        }
        if (lane != null) { // its recording is over, and what was open is not of the next one
            lane = null;
            open[0] = id;
            depth = 1;
        }
        if (depth > 1 || !takeLane(id)) {
            NativeProbes.pass();
        }
    }

    private void exit(int id) {
        int at = find(id);
        if (at < 0) {
            return; // entered before the recording began
        }
        depth = at;
        if (lane == null) {
            NativeProbes.pass();
        } else if (!NativeProbes.oLane(lane.number, id)) {
            lane = null;
            depth = 0;
        } else {
            dropMuted();
            giveBackWhenOut();
        }
    }

    private void goOn(int id) {
        int at = find(id);
        if (at < 0) {
            return;
        }
        depth = at + 1;
        if (lane == null) {
            NativeProbes.pass();
        } else if (!NativeProbes.cLane(lane.number, id)) {
            lane = null;
            depth = 0;
        }
    }

    /** Of the newest open call of that method; -1 if absent. */
    private int find(int id) {
        int at = depth - 1;
        while (at >= 0 && open[at] != id) {
            at--;
        }
        return at;
    }

    /** Those that are over, or will be without an exit. */
    private void dropMuted() {
        while (depth > 0 && MethodBeat.isMuted(open[depth - 1])) {
            depth--;
        }
    }

    private void giveBackWhenOut() {
        if (depth == 0) {
            pool.giveBack(lane);
            lane = null;
        }
    }

    /** One of the present recording, with the entry in it. */
    private boolean takeLane(int id) {
        try {
            for (Lane taken = pool.take(); taken != null; taken = pool.take()) {
                taken.holder = thread;
                if (NativeProbes.iLane(taken.number, id)) {
                    lane = taken;
                    return true;
                }
            }
        } catch (Throwable e) { // as in begin
            return false;
        }
        return false;
    }
}
