import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** They ask a server for orders and users in turn. */
final class Clients implements Runnable {
    private static final int THREADS = 3;
    private final AtomicInteger next = new AtomicInteger();
    private final int port;
    private final int count;

    private Clients(int port, int count) {
        this.port = port;
        this.count = count;
    }

    @Override
    public void run() {
        for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
            String path = i % 2 == 0 ? "/orders?n=" : "/users?n=";
            URI uri = URI.create("http://127.0.0.1:" + port + path + i / 2);
            try (InputStream in = uri.toURL().openStream()) {
                in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static void ask(int port, int count) throws InterruptedException {
        Clients clients = new Clients(port, count);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(new Thread(clients, "client-" + i));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
