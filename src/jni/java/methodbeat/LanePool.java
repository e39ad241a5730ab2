package methodbeat;

import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * The lanes of virtual threads of one name, in which the numbers do not count. A lane is taken and
 * given back without a lock; what needs a lock happens once a lane, or when lanes are short.
 */
final class LanePool {
    private static final int KINDS = 3;
    private static final int MOST_POOLS = 64;
    private static final int FIRST_SEARCH = 64;
    private static final String NAMELESS = "virtual threads";

    private static final ConcurrentHashMap<String, LanePool> POOLS = new ConcurrentHashMap<>();
    private static final Set<Lane> ALL = new HashSet<>(); // of one recording; guarded by itself
    private static int session;
    private static int nextSearch = FIRST_SEARCH; // for orphans: the number of lanes that starts one

    private final String name;
    private final ConcurrentLinkedDeque<Lane>[] free;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private LanePool(String name) {
        this.name = name;
        free = new ConcurrentLinkedDeque[KINDS];
        for (int kind = 0; kind < KINDS; kind++) {
            free[kind] = new ConcurrentLinkedDeque<>();
        }
    }

    /** That of threads like this one; too many names fall together. */
    static LanePool of(Thread thread) {
        String name = thread.getName();
        String shared = name.isEmpty() ? NAMELESS : withoutNumbers(name);
        LanePool pool = POOLS.get(shared);
        if (pool != null) {
            return pool;
        }
        shared = POOLS.size() < MOST_POOLS ? shared : NAMELESS;
        pool = new LanePool(shared);
        LanePool other = POOLS.putIfAbsent(shared, pool);
        return other != null ? other : pool;
    }

    /** Each number is a star. */
    private static String withoutNumbers(String name) {
        StringBuilder text = new StringBuilder(name.length());
        boolean inNumber = false;
        for (int at = 0; at < name.length(); at++) {
            char c = name.charAt(at);
            boolean isDigit = c >= '0' && c <= '9';
            if (!isDigit) {
                text.append(c);
            } else if (!inNumber) {
                text.append('*');
            }
            inNumber = isDigit;
        }
        return text.toString();
    }

    /** A lane without an owner, perhaps one of a former recording; null if none can be had. */
    Lane take() {
        Lane lane = takeFree();
        return lane != null ? lane : create();
    }

    void giveBack(Lane lane) {
        lane.holder = null;
        free[lane.kind()].addFirst(lane);
    }

    private Lane takeFree() {
        for (ConcurrentLinkedDeque<Lane> lanes : free) {
            Lane lane = lanes.pollFirst();
            if (lane != null) {
                return lane;
            }
        }
        return null;
    }

    private Lane create() {
        synchronized (ALL) {
            if (ALL.size() >= nextSearch) {
                endOrphans();
                nextSearch = Math.max(FIRST_SEARCH, 2 * ALL.size());
            }
            long number = NativeProbes.lane(name);
            if (number == 0 && (endOrphans() || endFreeOfOthers())) {
                number = NativeProbes.lane(name);
            }
            return number != 0 ? enlist(new Lane(number)) : null;
        }
    }

    private static Lane enlist(Lane lane) {
        if (session != lane.session()) {
            session = lane.session();
            ALL.clear();
            nextSearch = FIRST_SEARCH;
        }
        ALL.add(lane);
        return lane;
    }

    /**
     * Lanes of threads that an exception ended inside calls, where exits are not recorded then. Their
     * calls end with their last record.
     */
    static boolean endOrphans() {
        synchronized (ALL) {
            int before = ALL.size();
            for (Iterator<Lane> lanes = ALL.iterator(); lanes.hasNext();) {
                Lane lane = lanes.next();
                if (lane.isOrphan()) {
                    lanes.remove();
                    NativeProbes.endLane(lane.number);
                }
            }
            return ALL.size() < before;
        }
    }

    /** One that lies in another pool is of more use here. */
    private boolean endFreeOfOthers() {
        for (LanePool pool : POOLS.values()) {
            Lane lane = pool != this ? pool.takeFree() : null;
            if (lane != null) {
                ALL.remove(lane);
                NativeProbes.endLane(lane.number);
                return true;
            }
        }
        return false;
    }
}
