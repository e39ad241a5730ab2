import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Four methods whose own times are planted, 50, 30, 15 and 5 parts, and measured by the program's own clock, which their
 * caller adds up. Prints a line for each: its name and nanoseconds.
 *
 * <p>usage: Planted SHAPE MS CALLS
 */
public class Planted {
    static final AtomicLongArray OWN = new AtomicLongArray(4);
    static final int[] PARTS = {50, 30, 15, 5};
    static volatile int sink;

    static long alpha(long ns) {
        long start = System.nanoTime();
        long now = start;
        while (now - start < ns) {
            for (int i = 0; i < 20; i++) {
                sink = sink * 31 + i;
            }
            now = System.nanoTime();
        }
        return now - start;
    }

    static long beta(long ns) {
        long start = System.nanoTime();
        long now = start;
        while (now - start < ns) {
            for (int i = 0; i < 20; i++) {
                sink = sink * 31 + i;
            }
            now = System.nanoTime();
        }
        return now - start;
    }

    static long gamma(long ns) {
        long start = System.nanoTime();
        long now = start;
        while (now - start < ns) {
            for (int i = 0; i < 20; i++) {
                sink = sink * 31 + i;
            }
            now = System.nanoTime();
        }
        return now - start;
    }

    static long delta(long ns) {
        long start = System.nanoTime();
        long now = start;
        while (now - start < ns) {
            for (int i = 0; i < 20; i++) {
                sink = sink * 31 + i;
            }
            now = System.nanoTime();
        }
        return now - start;
    }

    static void round(long ns) {
        OWN.addAndGet(0, alpha(ns * PARTS[0] / 100));
        OWN.addAndGet(1, beta(ns * PARTS[1] / 100));
        OWN.addAndGet(2, gamma(ns * PARTS[2] / 100));
        OWN.addAndGet(3, delta(ns * PARTS[3] / 100));
    }

    static void flat(long rounds, long ns) {
        for (long i = 0; i < rounds; i++) {
            round(ns);
        }
    }

    static void recursive(long rounds, long ns, int depth) {
        for (long i = 0; i < rounds && depth == 0; i++) {
            recursive(1, ns, 10);
        }
        if (depth > 1) {
            recursive(rounds, ns, depth - 1);
        } else if (depth == 1) {
            round(ns);
        }
    }

    static void throwing(long rounds, long ns) {
        for (long i = 0; i < rounds; i++) {
            try {
                round(ns);
                throw new IllegalStateException();
            } catch (IllegalStateException e) {
                sink++;
            }
        }
    }

    static void pooled(int threads, long rounds, long ns) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        for (long i = 0; i < rounds; i++) {
            pool.submit(() -> round(ns));
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }

    public static void main(String[] args) throws InterruptedException {
        long rounds = Math.max(Long.parseLong(args[2]) / 4, 1);
        long ns = Long.parseLong(args[1]) * 1000000 / rounds;
        switch (args[0]) {
            case "recursive" -> recursive(rounds, ns, 0);
            case "throwing" -> throwing(rounds, ns);
            case "pool" -> pooled(3, rounds, ns);
            case "idle" -> pooled(12, rounds, ns);
            default -> flat(rounds, ns);
        }
        String[] names = {"alpha", "beta", "gamma", "delta"};
        for (int i = 0; i < 4; i++) {
            System.out.println(names[i] + " " + OWN.get(i));
        }
    }
}
