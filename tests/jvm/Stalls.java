import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import methodbeat.Monitors;

/**
 * A loop that stalls as it is told: arguments are steps. Prints of each message how long it was, within
 * its begin and end and around them, and what CPU time it used; and each issue that is heard.
 */
public class Stalls {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static volatile int sink;

    interface Work {
        void run(long ms) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        for (String step : args) {
            String[] parts = step.split(":", 2);
            run(parts[0], parts.length > 1 ? parts[1] : "");
        }
        System.out.println("DONE");
    }

    private static void run(String step, String value) throws Exception {
        switch (step) {
            case "start":
                say("STARTED " + Monitors.start(value.isEmpty() ? new String[0] : value.split(";")));
                break;
            case "stop":
                Monitors.stop();
                say("STOPPED " + !Monitors.isRunning());
                break;
            case "listen":
                listen(value.equals("stops"));
                break;
            case "set":
                say("SET " + Monitors.set(value.split("=")[0], value.split("=")[1]));
                break;
            case "issue": // detail;key;json
                String[] texts = value.split(";", 3);
                say("TOLD " + Monitors.issue(texts[0], texts[1].isEmpty() ? null : texts[1],
                        texts[2].isEmpty() ? null : texts[2]));
                break;
            case "until":
                until(Long.parseLong(value));
                break;
            case "executor":
                inExecutor(Long.parseLong(value));
                break;
            case "single":
                inSingle(Long.parseLong(value));
                break;
            case "order":
                inOrder(Long.parseLong(value));
                break;
            case "waiting":
                inVain();
                break;
            case "swing":
                inSwing(Long.parseLong(value));
                break;
            case "threads":
                inThreads(Integer.parseInt(value));
                break;
            default:
                inMessage(step, Long.parseLong(value));
        }
    }

    // ---- Work ----

    /** Busy in here and nowhere below. */
    static void burn(long ms) {
        long end = System.nanoTime() + ms * 1000000;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 200000; i++) {
                sink = sink * 31 + i;
            }
        }
    }

    static void nap(long ms) throws Exception {
        long end = System.nanoTime() + ms * 1000000;
        for (long left = ms; left > 0; left = (end - System.nanoTime() + 999999) / 1000000) {
            Thread.sleep(left);
        }
    }

    static void first(long ms) {
        long end = System.nanoTime() + ms * 1000000;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 200000; i++) {
                sink = sink * 31 + i;
            }
        }
    }

    static void second(long ms) {
        long end = System.nanoTime() + ms * 1000000;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 200000; i++) {
                sink = sink * 31 + i;
            }
        }
    }

    static void third(long ms) {
        long end = System.nanoTime() + ms * 1000000;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 200000; i++) {
                sink = sink * 31 + i;
            }
        }
    }

    /** Nearly all of it in second. */
    static void three(long ms) {
        first(ms * 6 / 20);
        second(ms * 13 / 20);
        third(ms / 20);
    }

    private static void work(String kind, long ms) throws Exception {
        switch (kind) {
            case "nap":
                nap(ms);
                break;
            case "burn":
                burn(ms);
                break;
            case "three":
                three(ms);
                break;
            default:
                throw new IllegalArgumentException(kind);
        }
    }

    // ---- Loops ----

    private static void inMessage(String kind, long ms) throws Exception {
        long cpu = THREADS.getCurrentThreadCpuTime();
        long outer = System.nanoTime();
        Monitors.begin();
        long inner = System.nanoTime();
        try {
            work(kind, ms);
        } finally {
            inner = System.nanoTime() - inner;
            Monitors.end();
        }
        outer = System.nanoTime() - outer;
        cpu = THREADS.getCurrentThreadCpuTime() - cpu;
        say("MESSAGE " + kind + ' ' + inner + ' ' + outer + ' ' + cpu);
    }

    private static void inExecutor(final long ms) throws Exception {
        ExecutorService service = Monitors.wrap(Executors.newSingleThreadExecutor());
        service.submit(new Runnable() {
            @Override
            public void run() {
                burn(ms);
            }
        }).get();
        service.shutdown();
        say("ENDED " + service.awaitTermination(60, TimeUnit.SECONDS));
    }

    /** A task that nobody wrapped, on a thread that has had one that was. */
    private static void inSingle(final long ms) throws Exception {
        ExecutorService bare = Executors.newSingleThreadExecutor();
        ExecutorService service = Monitors.wrapSingle(bare);
        service.submit(new Runnable() {
            @Override
            public void run() {}
        }).get();
        bare.submit(new Runnable() {
            @Override
            public void run() {
                burn(ms);
            }
        }).get();
        service.shutdown();
        say("ENDED " + service.awaitTermination(60, TimeUnit.SECONDS));
    }

    /** Tasks that never begin come back as they were given, and none of ours among them. */
    private static void inVain() throws Exception {
        ExecutorService bare = Executors.newSingleThreadExecutor();
        ExecutorService service = Monitors.wrapSingle(bare);
        final CountDownLatch running = new CountDownLatch(1);
        Runnable plain = new Runnable() {
            @Override
            public void run() {
                try {
                    running.countDown();
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    // by shutdownNow
                }
            }
        };
        service.execute(plain);
        running.await();
        Object future = service.submit(plain);
        service.execute(plain);
        java.util.List<Runnable> waiting = service.shutdownNow();
        say("WAITING " + (waiting.size() == 2 && waiting.get(0) == future && waiting.get(1) == plain));
        try {
            service.execute(null);
            say("NULL taken");
        } catch (NullPointerException e) {
            say("NULL refused");
        }
        service.awaitTermination(60, TimeUnit.SECONDS);
    }

    private static final class Ranked implements Runnable, Comparable<Ranked> {
        private static final StringBuffer RAN = new StringBuffer();
        private static volatile boolean areAllThere;
        private final int rank;

        Ranked(int rank) {
            this.rank = rank;
        }

        @Override
        public void run() {
            while (rank == 0 && !areAllThere) {
                burn(1);
            }
            RAN.append(rank);
        }

        @Override
        public int compareTo(Ranked other) {
            return Integer.compare(rank, other.rank);
        }
    }

    /** Tasks that a queue puts in order, with a question of ours among them: one is busy outside of messages. */
    private static void inOrder(long ms) throws Exception {
        ThreadPoolExecutor bare =
                new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new PriorityBlockingQueue<Runnable>());
        ExecutorService service = Monitors.wrapSingle(bare);
        service.execute(new Ranked(9));
        bare.execute(new Ranked(0));
        for (long i = 0; i < ms && bare.getQueue().isEmpty(); i++) {
            Thread.sleep(1);
        }
        say("ASKED " + !bare.getQueue().isEmpty());
        try {
            for (int rank : new int[] {3, 1, 4, 2, 5}) {
                service.execute(new Ranked(rank));
            }
        } finally {
            Ranked.areAllThere = true;
            service.shutdown();
        }
        say("ENDED " + service.awaitTermination(60, TimeUnit.SECONDS));
        say("ORDER " + Ranked.RAN);
    }

    private static void inSwing(final long ms) throws Exception {
        boolean isWatched = Monitors.swing();
        say("SWING " + isWatched + ' ' + Monitors.swing());
        if (!isWatched) {
            return;
        }
        java.awt.EventQueue.invokeAndWait(new Runnable() {
            @Override
            public void run() {
                burn(ms);
            }
        });
    }

    /** Threads with a message each, and an end too much. */
    private static void inThreads(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread() {
                @Override
                public void run() {
                    Monitors.end();
                    Monitors.begin();
                    Monitors.begin();
                    Monitors.end();
                    Monitors.end();
                }
            };
            thread.start();
            thread.join();
        }
    }

    // ---- Issues ----

    private static int heard;

    private static void listen(final boolean stops) {
        say("LISTENS " + Monitors.listen(new Monitors.Listener() {
            @Override
            public void onIssue(Monitors.Issue issue) {
                say("ISSUE " + issue.json);
                if (stops) {
                    Monitors.stop();
                }
                synchronized (Stalls.class) {
                    heard++;
                    Stalls.class.notifyAll();
                }
                if (stops) {
                    throw new IllegalStateException("on purpose");
                }
            }
        }));
    }

    /** Wait until so many issues were heard; whoever runs this sets a limit. */
    private static void until(long count) throws InterruptedException {
        synchronized (Stalls.class) {
            while (heard < count) {
                Stalls.class.wait();
            }
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }
}
