import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What virtual threads do inside calls: each argument names one of the methods, of which all but the
 * last make the same calls in each run.
 */
public class Virtual {
    private static final int PARKED = 10000;

    // ---- naps: calls that sleep, on 200 virtual threads and on 4 others; each may change the carrier

    private static int nap(int n) throws InterruptedException {
        Thread.sleep(1 + n % 3);
        return n + 1;
    }

    private static int task(int n) {
        try {
            return nap(nap(nap(n)));
        } catch (InterruptedException e) {
            return 0;
        }
    }

    private static Thread[] start(int count, boolean virtual) {
        Thread[] threads = new Thread[count];
        for (int k = 0; k < count; k++) {
            int n = k;
            Runnable work = () -> task(n);
            threads[k] = virtual
                    ? Thread.ofVirtual().name("virtual-" + n).start(work)
                    : Thread.ofPlatform().name("a thread with a name longer than 15, " + n).start(work);
        }
        return threads;
    }

    static void naps() throws InterruptedException {
        Thread[] virtual = start(200, true);
        Thread[] others = start(4, false);
        for (Thread thread : virtual) {
            thread.join();
        }
        for (Thread thread : others) {
            thread.join();
        }
    }

    // ---- parked: all inside calls at one time, before any goes on

    private static final CountDownLatch inside = new CountDownLatch(PARKED);
    private static final CountDownLatch mayGo = new CountDownLatch(1);
    private static final ReentrantLock lock = new ReentrantLock();
    private static final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(PARKED);

    private static void hold(int n) throws InterruptedException {
        inside.countDown();
        switch (n % 4) {
            case 0 -> waitForLatch();
            case 1 -> waitForLock();
            case 2 -> waitForQueue();
            default -> waitByNaps();
        }
    }

    private static void waitForLatch() throws InterruptedException {
        mayGo.await();
    }

    private static void waitForLock() {
        lock.lock();
        try {
            count(3);
        } finally {
            lock.unlock();
        }
    }

    private static void waitForQueue() throws InterruptedException {
        count(queue.take());
    }

    private static void waitByNaps() throws InterruptedException {
        while (mayGo.getCount() > 0) {
            Thread.sleep(20);
        }
        count(1);
    }

    private static int count(int n) {
        return n == 0 ? 0 : 1 + count(n - 1);
    }

    static void parked() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        lock.lock();
        for (int k = 0; k < PARKED; k++) {
            int n = k;
            threads.add(Thread.ofVirtual().start(() -> {
                try {
                    hold(n);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        inside.await();
        lock.unlock();
        mayGo.countDown();
        for (int k = 0; k < PARKED / 4; k++) {
            queue.put(2);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    // ---- pooled: executors, tasks in tasks, exceptions that only the executor catches

    private static int divide(int n) {
        Thread.yield();
        return 100 / (n % 10);
    }

    private static int guarded(int n) {
        try {
            return divide(n);
        } catch (ArithmeticException e) {
            return -1;
        }
    }

    private static int pair(ExecutorService executor, int n) throws Exception {
        Future<Integer> other = executor.submit(() -> guarded(n));
        return guarded(n + 1) + other.get();
    }

    static void pooled() throws Exception {
        ThreadFactory named = Thread.ofVirtual().name("worker-", 0).factory();
        for (ExecutorService each : new ExecutorService[] {
                Executors.newVirtualThreadPerTaskExecutor(), Executors.newThreadPerTaskExecutor(named)}) {
            List<Future<Integer>> results = new ArrayList<>();
            for (int k = 0; k < 300; k++) {
                int n = k;
                results.add(each.submit(() -> pair(each, n)));
                results.add(each.submit(() -> divide(n)));
            }
            int failed = 0;
            for (Future<Integer> result : results) {
                try {
                    result.get();
                } catch (ExecutionException e) {
                    failed++;
                }
            }
            each.close();
            if (failed != 30) {
                throw new IllegalStateException(failed + " tasks failed");
            }
        }
    }

    // ---- pinned: parked with a monitor held, and below native code

    private static synchronized void sleepInMonitor(int n) throws InterruptedException {
        Thread.sleep(0, 200_000);
        count(n % 3);
    }

    private static int compareSlowly(int a, int b) {
        LockSupport.parkNanos(100_000);
        return Integer.compare(a, b);
    }

    static void pinned() throws Exception {
        try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int k = 0; k < 100; k++) {
                int n = k;
                each.submit(() -> {
                    sleepInMonitor(n);
                    return Virtual.class.getDeclaredMethod("compareSlowly", int.class, int.class)
                            .invoke(null, n, 50);
                });
            }
        }
    }

    // ---- dying: of an exception, inside three calls, one thread after the other and side by side

    private static void sink(int n) {
        if (n == 0) {
            throw new IllegalStateException("on purpose");
        }
        sink(n - 1);
    }

    private static int survive(int n) {
        return count(n);
    }

    static void dying() throws InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> { });
        for (int round = 0; round < 20; round++) {
            List<Thread> threads = new ArrayList<>();
            for (int k = 0; k < 100; k++) {
                threads.add(Thread.ofVirtual().name("dying").start(() -> sink(2)));
                threads.add(Thread.ofVirtual().name("dying").start(() -> survive(2)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    // ---- restarted: while another thread stops and starts the recorder

    private static volatile boolean isOver;

    private static int wander(int n) throws InterruptedException {
        if (n % 5 == 0) {
            Thread.sleep(0, 50_000);
        } else if (n % 5 == 3) {
            Thread.yield();
        }
        return n == 0 ? 0 : 1 + wander(n - 1);
    }

    static void restarted() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int k = 0; k < 300; k++) {
            Thread.Builder builder = k % 100 == 0 ? Thread.ofPlatform() : Thread.ofVirtual().name("w-" + k);
            threads.add(builder.start(() -> {
                try {
                    for (int n = 0; !isOver; n++) {
                        wander(n % 12);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        long until = System.nanoTime() + Integer.getInteger("virtual.seconds", 3) * 1_000_000_000L;
        long restarts = 0;
        do {
            methodbeat.MethodBeat.stop();
            methodbeat.MethodBeat.start();
            LockSupport.parkNanos(restarts++ % 50 == 0 ? 20_000_000 : 200_000);
        } while (System.nanoTime() < until);
        isOver = true;
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(restarts + " restarts");
    }

    public static void main(String[] args) throws Exception {
        for (String name : args) {
            Virtual.class.getDeclaredMethod(name).invoke(null);
        }
        System.out.println("done");
    }
}
