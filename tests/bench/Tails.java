import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** Requests of a pool, some of which are slow: Tails PROGRAM SEED PERCENT, how long those take of what they took before. */
final class Tails {
    private static final int REQUESTS = 6000;
    private static final int SLOW = 30; // one of that number
    private static final Object LOCK = new Object();
    private static volatile double sink;
    private static double slowMs = 8;

    private static void pause(double ms) {
        try {
            Thread.sleep((long) ms, (int) (ms % 1 * 1e6));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void compute(double ms) {
        for (int i = 0; i < ms * 30_000; i++) {
            sink = Math.sqrt(sink + i);
        }
    }

    static void reprice() {
        synchronized (LOCK) {
            sink++;
        }
    }

    static void refresh(double ms) {
        synchronized (LOCK) {
            pause(ms);
        }
    }

    /** A slow one takes up to a fifth more or less. */
    static void order(String program, boolean isSlow, double spread) {
        pause(0.7);
        double ms = slowMs * (0.8 + 0.4 * spread);
        if (isSlow && program.equals("pause")) {
            pause(ms);
        } else if (isSlow && program.equals("compute")) {
            compute(ms);
        } else if (isSlow) {
            refresh(ms);
        }
        reprice();
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(Integer.parseInt(args[1]));
        int threads = args[0].equals("compute") ? 2 : 8;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        Semaphore places = new Semaphore(threads);
        slowMs = slowMs * Integer.parseInt(args[2]) / 100;
        int slow = args[0].equals("lock") ? SLOW * 8 : SLOW; // the other threads wait for it
        for (int i = 0; i < REQUESTS; i++) {
            boolean isSlow = random.nextInt(slow) == 0;
            double spread = random.nextDouble();
            places.acquire();
            pool.execute(() -> {
                order(args[0], isSlow, spread);
                places.release();
            });
        }
        places.acquire(threads);
        pool.shutdown();
    }
}
