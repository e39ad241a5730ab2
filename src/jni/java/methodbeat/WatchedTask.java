package methodbeat;

/** A task each run of which is a message. */
class WatchedTask implements Runnable {
    final Runnable task;
    private final Pinger pinger;

    /** In the order of its tasks, for a queue that goes by that. */
    private static final class Ordered extends WatchedTask implements Comparable<Object> {
        Ordered(Runnable task, Pinger pinger) {
            super(task, pinger);
        }

        @Override
        @SuppressWarnings("unchecked")
        public int compareTo(Object other) {
            if (other instanceof ServicePinger.Ping) {
                return 1;
            }
            Object theirs = other instanceof WatchedTask ? ((WatchedTask) other).task : other;
            return ((Comparable<Object>) task).compareTo(theirs);
        }
    }

    /** Null stays null: the executor refuses it. */
    static Runnable of(Runnable task, Pinger pinger) {
        if (task instanceof Comparable) {
            return new Ordered(task, pinger);
        }
        return task != null ? new WatchedTask(task, pinger) : null;
    }

    private WatchedTask(Runnable task, Pinger pinger) {
        this.task = task;
        this.pinger = pinger;
    }

    @Override
    public void run() {
        Monitors.begin(pinger);
        try {
            task.run();
        } finally {
            Monitors.end(task);
        }
    }
}
