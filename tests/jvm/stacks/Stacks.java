import java.util.concurrent.CountDownLatch;
import methodbeat.Monitors;

/** A loop's thread that stalls: in a loop in which Java cannot stop it, in native code, for ever, or busy. Prints each issue. */
public class Stacks {
    private static volatile int sink;
    private static int heard;

    /** Compiled, it has no place at which a thread stops. */
    static int loop(int count) {
        int value = 1;
        for (int i = 0; i < count; i++) {
            value = value * 31 + (i ^ value >>> 7);
        }
        return value;
    }

    /** Until it is compiled; then so many rounds take so long. */
    private static int roundsOf(long ms) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 3000; i++) {
            long start = System.nanoTime();
            sink += loop(100000);
            best = Math.min(best, System.nanoTime() - start);
        }
        return (int) Math.min(Integer.MAX_VALUE, ms * 1000000 * 100000 / best);
    }

    static void burn(long ms) {
        for (long end = System.nanoTime() + ms * 1000000; System.nanoTime() < end;) {
            for (int i = 0; i < 100000; i++) {
                sink = sink * 31 + i;
            }
        }
    }

    static void readSlowly(long ms) throws Exception {
        new ProcessBuilder("sleep", String.valueOf(ms / 1000.)).start().getInputStream().read();
    }

    static void takeBoth(Object first, Object second, CountDownLatch have) {
        synchronized (first) {
            have.countDown();
            try {
                have.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            synchronized (second) {
                sink++;
            }
        }
    }

    private static void collectSoon() {
        Thread collector = new Thread(() -> {
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                sink++;
            }
            System.gc();
        });
        collector.setDaemon(true);
        collector.start();
    }

    static void work(String kind, long ms, int rounds) throws Exception {
        switch (kind) {
            case "collected":
                collectSoon();
                sink += loop(rounds);
                break;
            case "loop":
                sink += loop(rounds);
                break;
            case "native":
                readSlowly(ms);
                break;
            case "deadlock":
                Object first = new Object();
                Object second = new Object();
                CountDownLatch have = new CountDownLatch(2);
                Thread other = new Thread(() -> takeBoth(second, first, have), "other");
                other.setDaemon(true);
                other.start();
                takeBoth(first, second, have);
                break;
            default:
                burn(ms);
        }
    }

    private static void inMessage(String kind, long ms, int rounds) {
        Monitors.begin();
        try {
            work(kind, ms, rounds);
        } catch (Exception e) {
            e.printStackTrace();
        }
        Monitors.end();
    }

    public static void main(String[] arguments) throws Exception {
        String kind = arguments[0];
        long ms = Long.parseLong(arguments[1]);
        Monitors.listen(issue -> {
            synchronized (Stacks.class) {
                System.out.println("ISSUE " + issue.json);
                heard++;
                Stacks.class.notifyAll();
            }
        });
        System.out.println("STARTED " + Monitors.start(new String[0]));
        int rounds = roundsOf(ms);
        Thread looper = new Thread(() -> inMessage(kind, ms, rounds), "looper");
        looper.setDaemon(true);
        looper.start();
        looper.join(ms + 1000);
        Monitors.stop();
        System.out.println("DONE");
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
