package methodbeat;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Asks the one thread of a service. */
final class ServicePinger implements Pinger {
    /** What it puts among the tasks of the program. */
    static final class Ping implements Runnable {
        private final int request;

        Ping(int request) {
            this.request = request;
        }

        @Override
        public void run() {
            NativeMonitors.pong(request);
        }
    }

    private final Executor service;

    ServicePinger(Executor service) {
        this.service = service;
    }

    @Override
    public void ping(int request) {
        try {
            service.execute(new Ping(request));
        } catch (RejectedExecutionException e) {
            // it is being shut down: its thread ends
        }
    }
}
