import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** Requests of a pool, some of which are slow: Tails PROGRAM SEED PERCENT, how long those take of what they took before. */
final class Tails {
    private static final int REQUESTS = 36_000;
    private static final int SLOW = 30; // one of that number
    private static final int THREADS = 8;
    private static final Object LOCK = new Object();
    private static volatile double sink;
    private static double slowMs = 8;

    private static void pause(double ms) {
        LockSupport.parkNanos((long) (ms * 1e6));
    }

    static void compute(double ms) {
        double sum = 0; // two threads that write one field would slow each other
        for (int i = 0; i < ms * 40_000; i++) {
            sum = Math.sqrt(sum + i);
        }
        sink = sum;
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
        double ms = slowMs * (0.8 + 0.4 * spread);
        if (!isSlow) {
            pause(1);
        } else if (program.equals("pause")) {
            pause(ms);
        } else if (program.equals("compute")) {
            compute(ms);
        } else {
            refresh(ms);
        }
        reprice();
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(Integer.parseInt(args[1]));
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        Semaphore places = new Semaphore(THREADS);
        slowMs = slowMs * Integer.parseInt(args[2]) / 100;
        int slow = args[0].equals("lock") ? SLOW * THREADS : SLOW; // the other threads wait for it
        for (int i = 0; i < REQUESTS; i++) {
            boolean isSlow = random.nextInt(slow) == 0;
            double spread = random.nextDouble();
            places.acquire();
            pool.execute(() -> {
                order(args[0], isSlow, spread);
                places.release();
            });
        }
        places.acquire(THREADS);
        pool.shutdown();
    }
}
