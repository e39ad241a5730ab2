package methodbeat;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Asks the one thread of a service. */
final class ServicePinger implements Pinger {
    /** What it puts among the tasks of the program; before them, where they have an order. */
    static final class Ping implements Runnable, Comparable<Object> {
        private final int request;

        Ping(int request) {
            this.request = request;
        }

        @Override
        public void run() {
            NativeMonitors.pong(request);
        }

        @Override
        public int compareTo(Object other) {
            return other instanceof Ping ? 0 : -1;
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
