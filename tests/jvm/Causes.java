import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** Requests of a pool, some of which are made slow. The truth, one line for each: when it began (System.nanoTime), how
 * long it took, its cause, how much of it that took, and the CPU time of its thread. */
public final class Causes {
    private static final int SLOW_MS = 70;
    private static final Queue<String> TRUTH = new ConcurrentLinkedQueue<>();
    private static final Queue<long[]> COLLECTIONS = new ConcurrentLinkedQueue<>();
    private static final Object PRICES = Causes.class;
    private static final Object STOCK = new Object();
    private static final List<Object[]> KEPT = new ArrayList<>();
    private static ServerSocket replies;
    private static volatile double result;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static volatile String holder; // of the prices

    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void load() {
        pause(4);
    }

    static void fetch() throws InterruptedException {
        Thread.sleep(SLOW_MS);
    }

    static void compute() {
        long end = System.nanoTime() + SLOW_MS * 1_000_000L;
        while (System.nanoTime() < end) {
            result += Math.sqrt(result + 1);
        }
    }

    static void read() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), replies.getLocalPort())) {
            socket.getInputStream().read();
        }
    }

    /** Its caller has what it waits, as far as probes tell. */
    static synchronized void priceOf() {
        result++;
    }

    static void refreshPrices(Semaphore held) {
        synchronized (PRICES) {
            holder = "price-refresh";
            held.release();
            pause(SLOW_MS);
        }
    }

    /** Holds the prices, and waits for the stock. */
    static void restock(Semaphore held) {
        synchronized (PRICES) {
            holder = "restock";
            held.release();
            synchronized (STOCK) {
                result++;
            }
        }
    }

    static void count(Semaphore held) {
        synchronized (STOCK) {
            held.release();
            pause(SLOW_MS);
        }
    }

    private static void start(String name, Runnable what) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void startRefresh() {
        Semaphore held = new Semaphore(0);
        start("price-refresh", () -> refreshPrices(held));
        held.acquireUninterruptibly();
    }

    private static void startChain() {
        Semaphore held = new Semaphore(0);
        start("stock-count", () -> count(held));
        held.acquireUninterruptibly();
        start("restock", () -> restock(held));
        held.acquireUninterruptibly();
    }

    private static void collect() {
        long start = System.nanoTime();
        System.gc();
        COLLECTIONS.add(new long[] {start, System.nanoTime()});
    }

    private static String plant(int number) throws IOException, InterruptedException {
        switch (number) {
        case 11 -> fetch();
        case 23, 101 -> compute();
        case 37 -> read();
        default -> {
            return "-";
        }
        }
        return number == 11 ? "waited:fetch" : number == 23 || number == 101 ? "worked:compute" : "io:read";
    }

    static void order(int number) throws IOException, InterruptedException {
        long cpu = THREADS.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        load();
        long planted = System.nanoTime();
        String cause = plant(number % 150);
        long took = System.nanoTime() - planted;
        if (number % 150 == 61) {
            startRefresh();
        } else if (number % 150 == 83) {
            startChain();
        }
        long locked = System.nanoTime();
        String owner = holder;
        priceOf();
        long end = System.nanoTime();
        if (end - locked > took && end - locked > 10_000_000) {
            took = end - locked;
            cause = "locked:" + owner;
        }
        TRUTH.add(start + " " + (end - start) + " " + cause + " " + took + " " + (THREADS.getCurrentThreadCpuTime() - cpu));
    }

    private static void answer() {
        while (true) {
            try {
                Socket socket = replies.accept();
                start("reply", () -> {
                    pause(SLOW_MS);
                    try {
                        socket.getOutputStream().write(1);
                        socket.close();
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                });
            } catch (IOException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        replies = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("replies", Causes::answer);
        for (int i = 0; i < 700_000; i++) {
            KEPT.add(new Object[] {i, new int[4]});
        }
        ExecutorService pool = Executors.newFixedThreadPool(3);
        Semaphore places = new Semaphore(3);
        int count = Integer.parseInt(args[0]);
        for (int i = 0; i < count; i++) {
            int number = i;
            places.acquire();
            if (i % 600 == 120) {
                start("collector", Causes::collect);
            }
            pool.execute(() -> {
                try {
                    order(number);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                places.release();
            });
        }
        places.acquire(3);
        pool.shutdown();
        try (PrintWriter out = new PrintWriter(args[1])) {
            TRUTH.forEach(out::println);
            COLLECTIONS.forEach(gc -> out.println(gc[0] + " " + (gc[1] - gc[0]) + " collection 0 0"));
        }
    }
}
