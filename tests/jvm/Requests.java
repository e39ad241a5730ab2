import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.awt.EventQueue;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** Requests of two kinds, by a server, a pool, virtual threads or Swing's queue. The truth, one line for each of them:
 * its kind, when it began, how long it took in ns, and why it was slow. */
public final class Requests {
    private static final Queue<String> TRUTH = new ConcurrentLinkedQueue<>();
    private static final Object PRICES = new Object();
    private static volatile double result;

    static {
        note("-", 0, "-"); // the first one takes long
        TRUTH.clear();
    }

    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void load() {
        pause(10);
    }

    private static void fetch() {
        try {
            Thread.sleep(250);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void compute() {
        long end = System.nanoTime() + 250_000_000;
        while (System.nanoTime() < end) {
            result += Math.sqrt(result + 1);
        }
    }

    private static void priceOf() {
        synchronized (PRICES) {
            result++;
        }
    }

    private static void refreshPrices(Semaphore held) {
        synchronized (PRICES) {
            held.release();
            pause(250);
        }
    }

    private static void startRefresh() {
        Semaphore held = new Semaphore(0);
        Thread thread = new Thread(() -> refreshPrices(held), "price-refresh");
        thread.setDaemon(true);
        thread.start();
        held.acquireUninterruptibly();
    }

    static String order(int number) {
        String cause = "-";
        load();
        if (number % 200 == 37) {
            fetch();
            cause = "fetch";
        } else if (number % 200 == 53) {
            compute();
            cause = "compute";
        } else if (number % 200 == 71) {
            startRefresh();
        }
        long start = System.nanoTime();
        priceOf();
        boolean hasWaited = System.nanoTime() - start > 100_000_000;
        return !hasWaited ? cause : cause.equals("-") ? "priceOf" : cause + "+priceOf";
    }

    static String user(int number) {
        pause(1 + number % 7);
        return "-";
    }

    static void note(String kind, long start, String cause) {
        TRUTH.add(kind + " " + start + " " + (System.nanoTime() - start) + " " + cause);
    }

    static void write(String file) throws IOException {
        try (PrintWriter out = new PrintWriter(file)) {
            TRUTH.forEach(out::println);
        }
    }

    private static void any(int number) {
        boolean isOrder = number % 2 == 0;
        long start = System.nanoTime();
        String cause = isOrder ? order(number / 2) : user(number / 2);
        note(isOrder ? "Requests.order" : "Requests.user", start, cause);
    }

    private static void answer(HttpExchange exchange) throws IOException {
        any(Integer.parseInt(exchange.getRequestURI().getQuery()));
        exchange.sendResponseHeaders(204, -1);
        exchange.close();
    }

    private static void serve(int count) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 64);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        server.setExecutor(pool);
        server.createContext("/", Requests::answer);
        server.start();
        for (int i = 0; i < count; i++) {
            URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/?" + i);
            uri.toURL().openStream().close();
        }
        server.stop(0);
        pool.shutdown();
    }

    private static void run(ExecutorService pool, int count) throws Exception {
        Semaphore places = new Semaphore(3);
        for (int i = 0; i < count; i++) {
            int number = i;
            places.acquire();
            pool.execute(() -> {
                any(number);
                places.release();
            });
        }
        places.acquire(3);
        pool.shutdown();
    }

    private static void queue(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            int number = i;
            EventQueue.invokeAndWait(() -> any(number));
        }
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[1]);
        switch (args[0]) {
        case "server" -> serve(count);
        case "tasks" -> run(Executors.newFixedThreadPool(3), count);
        case "virtual" -> run((ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null),
                              count);
        default -> queue(count);
        }
        write(args[2]);
    }
}
