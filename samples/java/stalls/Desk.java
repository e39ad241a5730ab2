import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import methodbeat.Monitors;

/**
 * One thread that works off tasks, of which some take too long: a slow one, one that waits for a lock
 * and one that does not respond. Each issue becomes a line of the log, which `methodbeat issues` reads;
 * with -Dmethodbeat.spool=FOLDER they are files there too.
 */
public class Desk {
    private static final Object LOCK = new Object();
    private static int scale = 100; // percent of the lengths below
    private static volatile long sum;

    private static long after(long ms) {
        return System.nanoTime() + ms * scale * 10000;
    }

    static void sort() {
        int[] numbers = new int[1000];
        for (long end = after(900); System.nanoTime() < end;) {
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = i * 31 % 977;
            }
            Arrays.sort(numbers);
        }
    }

    static void parse() {
        for (long end = after(5500); System.nanoTime() < end;) {
            sum += Long.parseLong("1234567890");
        }
    }

    static void save() {
        synchronized (LOCK) {
            sum++;
        }
    }

    /** Another thread has the lock for 2.5 s while the desk saves. */
    private static void saveBeside(ExecutorService desk) throws Exception {
        Future<?> saved;
        synchronized (LOCK) {
            saved = desk.submit(new Runnable() {
                @Override
                public void run() {
                    save();
                }
            });
            Thread.sleep(25L * scale);
        }
        saved.get();
    }

    public static void main(String[] args) throws Exception {
        scale = args.length > 0 ? Integer.parseInt(args[0]) : scale;
        Monitors.listen(new Monitors.Listener() {
            @Override
            public void onIssue(Monitors.Issue issue) {
                System.out.println("desk: " + issue.json);
            }
        });
        Monitors.start();
        ExecutorService desk = Monitors.wrap(Executors.newSingleThreadExecutor());
        for (int i = 0; i < 1000; i++) {
            desk.execute(new Runnable() {
                @Override
                public void run() {
                    sum++;
                }
            });
        }
        desk.submit(new Runnable() {
            @Override
            public void run() {
                sort();
            }
        }).get();
        saveBeside(desk);
        desk.execute(new Runnable() {
            @Override
            public void run() {
                parse();
            }
        });
        desk.shutdown();
        desk.awaitTermination(1, TimeUnit.MINUTES);
        Monitors.stop();
    }
}
