package methodbeat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Another service, each of whose tasks is a message. */
final class WatchedService extends AbstractExecutorService {
    private final ExecutorService service;
    private final Pinger pinger;

    /** pinger: null if tasks may run on any thread. */
    WatchedService(ExecutorService service, Pinger pinger) {
        this.service = service;
        this.pinger = pinger;
    }

    @Override
    public void execute(Runnable task) {
        service.execute(WatchedTask.of(task, pinger));
    }

    @Override
    public void shutdown() {
        service.shutdown();
    }

    /** Tasks as they were given: the program may know them again, or cancel them. */
    @Override
    public List<Runnable> shutdownNow() {
        List<Runnable> tasks = new ArrayList<>();
        for (Runnable task : service.shutdownNow()) {
            if (task instanceof WatchedTask) {
                tasks.add(((WatchedTask) task).task);
            } else if (!(task instanceof ServicePinger.Ping)) {
                tasks.add(task);
            }
        }
        return tasks;
    }

    @Override
    public boolean isShutdown() {
        return service.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return service.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return service.awaitTermination(timeout, unit);
    }
}
