import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Threads that work, and what they worked by their own clocks: "worker NAME NS". A quarter is in light, three in heavy. */
public class Cpu {
    static final ThreadMXBean clocks = ManagementFactory.getThreadMXBean();
    static final ReentrantLock lock = new ReentrantLock();
    static final SynchronousQueue<Integer> queue = new SynchronousQueue<>();
    static volatile long sink;
    static long endNs;

    // ---- Work

    static long turn(long seed, int count) {
        for (int i = 0; i < count; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
        }
        return seed;
    }

    static void light(int units) {
        for (int i = 0; i < units; i++) {
            sink += turn(i, 250_000);
        }
    }

    static void heavy(int units) {
        for (int i = 0; i < units; i++) {
            sink += turn(i, 750_000);
        }
    }

    static void rest(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Some ms of CPU time, a quarter of it in light. A clock here would be where the system takes the processor away. */
    static void work(int units) {
        light(units);
        heavy(units);
    }

    // ---- Programs

    static void spin(int number) {
        work(8);
    }

    /** Serves, and waits for what is to serve. */
    static void serve(int number) {
        work(4);
        rest(5);
    }

    static void guard(int number) {
        lock.lock();
        try {
            work(2);
        } finally {
            lock.unlock();
        }
        work(2);
    }

    /** Every other thread hands over to the next. */
    static void hand(int number) {
        try {
            if (number % 2 == 0) {
                work(1);
                queue.offer(number, 50, TimeUnit.MILLISECONDS);
            } else if (queue.poll(50, TimeUnit.MILLISECONDS) != null) {
                work(1);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void step(String program, int number) {
        switch (program) {
            case "spin": spin(number); break;
            case "serve": serve(number); break;
            case "guard": guard(number); break;
            default: hand(number);
        }
    }

    static void live(String program, int number) {
        while (System.nanoTime() < endNs) {
            step(program, number);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int count = Integer.parseInt(args[1]);
        CountDownLatch done = new CountDownLatch(count);
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        endNs = System.nanoTime() + (long) (Double.parseDouble(args[2]) * 1e9);
        for (int i = 0; i < count; i++) {
            int number = i;
            String name = "worker " + (char) ('a' + i / 26) + (char) ('a' + i % 26); // no number: each has a row
            new Thread(() -> {
                live(args[0], number);
                lines.add(name + " " + clocks.getCurrentThreadCpuTime());
                done.countDown();
            }, name).start();
        }
        done.await();
        lines.forEach(System.out::println);
    }
}
