package methodbeat;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Asks the one thread of a service. */
final class ServicePinger implements Pinger {
    private final Executor service;

    ServicePinger(Executor service) {
        this.service = service;
    }

    @Override
    public void ping(final int request) {
        try {
            service.execute(new Runnable() {
                @Override
                public void run() {
                    NativeMonitors.pong(request);
                }
            });
        } catch (RejectedExecutionException e) {
            return; // it is being shut down: its thread ends
        }
    }
}
