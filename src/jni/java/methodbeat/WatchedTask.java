package methodbeat;

/** A task each run of which is a message. */
final class WatchedTask implements Runnable {
    final Runnable task;
    private final Pinger pinger;

    /** Null stays null, for whoever is to run it to refuse. */
    static Runnable of(Runnable task, Pinger pinger) {
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
