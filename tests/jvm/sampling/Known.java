import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/** What it does is known: for a while it is in one method, then in another, or it waits. */
public class Known {
    static volatile long sink;

    static void spin(long ms) {
        for (long end = System.nanoTime() + ms * 1000000L; System.nanoTime() < end;) {
            for (int i = 0; i < 10000; i++) {
                sink += i ^ sink >> 3; // reading the clock is native code, which may wait for all that anybody knows
            }
        }
    }

    static void first(long ms) {
        spin(ms);
    }

    static void second(long ms) {
        spin(ms);
    }

    static void own(long ms) {
        for (long end = System.nanoTime() + ms * 1000000L; System.nanoTime() < end;) {
            sink++;
        }
    }

    static void sleepy(long ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    static int deep(int depth, long ms) {
        if (depth == 0) {
            spin(ms);
            return 1;
        }
        return deep(depth - 1, ms) + 1;
    }

    static void phases() throws InterruptedException {
        for (int i = 0; i < 4; i++) {
            first(200);
            second(100);
            own(150);
            sleepy(150);
        }
    }

    /** All that may surprise somebody who walks stacks. */
    static void churn(long ms) throws Exception {
        long end = System.nanoTime() + ms * 1000000L;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(new Thread(() -> churnOne(end), "churner " + i));
        }
        threads.forEach(Thread::start);
        for (int i = 0; System.nanoTime() < end; i++) {
            Thread brief = new Thread(() -> deep(20, 0), "brief " + i);
            brief.start();
            brief.join();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void churnOne(long end) {
        try {
            while (System.nanoTime() < end) {
                new Loader().make();
                overflow(0);
                byte[][] garbage = new byte[200][];
                for (int i = 0; i < garbage.length; i++) {
                    garbage[i] = new byte[5000];
                }
                Runnable lambda = () -> sink += garbage.length;
                lambda.run();
            }
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    static int overflow(int depth) {
        try {
            return over(depth);
        } catch (StackOverflowError e) {
            return depth;
        }
    }

    static int over(int depth) {
        return over(depth + 1) + 1;
    }

    static final IllegalStateException OLD = new IllegalStateException();

    static int thrower(int depth) {
        if (depth == 0) {
            throw (sink++ & 1) == 0 ? OLD : new IllegalStateException();
        }
        return thrower(depth - 1) + 1;
    }

    /** Exceptions all the time, through 5 to 50 calls. */
    static void throwAll(long ms) {
        long end = System.nanoTime() + ms * 1000000L;
        for (int i = 0; System.nanoTime() < end; i++) {
            try {
                thrower(5 + i % 46);
            } catch (IllegalStateException e) {
                sink++;
            }
        }
    }

    static int fib(int n) {
        return n < 2 ? 1 : fib(n - 1) + fib(n - 2);
    }

    static int passing(int depth) {
        try {
            return passing(depth + 1) + 1;
        } catch (IllegalStateException e) {
            return 0;
        }
    }

    interface Node {
        int eval(int depth);
    }

    static class Minus implements Node {
        final Node inner;

        Minus(Node inner) {
            this.inner = inner;
        }

        @Override
        public int eval(int depth) {
            return -inner.eval(depth + 1);
        }
    }

    /** To the end of the stack, in several ways, and back. */
    static void recurseAll(long ms) {
        long end = System.nanoTime() + ms * 1000000L;
        Node tree = depth -> 1;
        for (int i = 0; i < 3000; i++) {
            tree = new Minus(tree);
        }
        for (int i = 0; System.nanoTime() < end; i++) {
            sink += overflow(0) + fib(22);
            try {
                sink += tree.eval(0) + passing(0);
            } catch (StackOverflowError e) {
                sink++;
            }
        }
    }

    static void clock(long ms) {
        for (long end = System.nanoTime() + ms * 1000000L; System.nanoTime() < end;) {
        }
    }

    /** More threads than processors, which look at the clock. */
    static void clocks() throws InterruptedException {
        Thread[] threads = new Thread[3 * Runtime.getRuntime().availableProcessors()];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> clock(2000));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Two threads of one name at a time, one after the other: what one does the other does not. */
    static void twins() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            Thread one = new Thread(() -> first(500), "twin");
            Thread other = new Thread(() -> second(300), "twin");
            one.start();
            Thread.sleep(50);
            other.start();
            other.join();
            one.join();
        }
    }

    /** A class of its own, which goes with it. */
    static class Loader extends ClassLoader {
        Loader() {
            super(null);
        }

        void make() throws Exception {
            byte[] code = Known.class.getResourceAsStream("Brief.class").readAllBytes();
            Class<?> type = defineClass("Brief", code, 0, code.length);
            Method work = type.getMethod("work", int.class);
            work.setAccessible(true);
            work.invoke(null, 2000);
        }
    }

    static class First {}

    static class Second {}


    static void spin10() {
        spin(10);
    }

    static void spin20() {
        spin(20);
    }

    static void spin40() {
        spin(40);
    }

    static void spin80() {
        spin(80);
    }

    static void spin160() {
        spin(160);
    }

    private static int spun;
    private static final String[] SPUN = new String[1000];

    private static void tell(String name, Runnable work) {
        long start = System.nanoTime();
        work.run();
        SPUN[spun++] = name + " " + start + " " + System.nanoTime();
    }

    /** 50 of each; what they took is told by the clock that samples have. */
    static void spins(int rounds) {
        for (int i = 0; i < rounds; i++) {
            tell("spin10", Known::spin10);
            tell("spin20", Known::spin20);
            tell("spin40", Known::spin40);
            tell("spin80", Known::spin80);
            tell("spin160", Known::spin160);
        }
        for (int i = 0; i < spun; i++) {
            System.out.println("SPUN " + SPUN[i]);
        }
    }

    /** Recorded methods, with work in between that only samples tell of: Hidden has no probes. */
    static void calls() {
        for (int i = 0; i < 12; i++) {
            outer(i);
        }
    }

    static void outer(int number) {
        Hidden.work(10);
        for (int i = 0; i <= number % 3; i++) {
            inner(number);
        }
        Hidden.work(5 * number);
    }

    static void inner(int number) {
        Hidden.work(10 + number);
        leaf();
    }

    static void leaf() {
        sink++;
        Hidden.work(3);
    }

    /** Each has locks of its own, and names that tell it apart. */
    static void chains(int count, long ms) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            chain(" " + i, ms, ms / 3);
        }
    }

    /** One has the first monitor and the lock; the next waits for the monitor and has the second one, for which a third waits. */
    static void chain(String number, long ms, long rest) throws InterruptedException {
        Object first = new First();
        Object second = new Second();
        ReentrantLock lock = new ReentrantLock();
        CountDownLatch has = new CountDownLatch(2);
        Thread[] threads = {
            new Thread(() -> hold(first, lock, has, ms), "holder" + number),
            new Thread(() -> wantBoth(second, first, has, rest), "middle" + number),
            new Thread(() -> wantOne(second, has), "outer" + number),
            new Thread(() -> wantLock(lock, has), "parked" + number)};
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void hold(Object first, ReentrantLock lock, CountDownLatch has, long ms) {
        synchronized (first) {
            lock.lock();
            has.countDown();
            rest(ms);
            lock.unlock();
        }
    }

    static void wantBoth(Object second, Object first, CountDownLatch has, long ms) {
        synchronized (second) {
            has.countDown();
            await(has);
            synchronized (first) {
                rest(ms);
            }
        }
    }

    static void wantOne(Object second, CountDownLatch has) {
        await(has);
        synchronized (second) {
            sink++;
        }
    }

    static void wantLock(ReentrantLock lock, CountDownLatch has) {
        await(has);
        lock.lock();
        lock.unlock();
    }

    static void rest(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void await(CountDownLatch has) {
        try {
            has.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void work() throws InterruptedException {
        while (true) {
            own(5);
            sleepy(5);
        }
    }

    /** More threads than processors; tells what CPU time they had. */
    private static void crowd() throws InterruptedException {
        java.util.concurrent.atomic.AtomicLong cpu = new java.util.concurrent.atomic.AtomicLong();
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                spin(1500);
                cpu.addAndGet(java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
            }, "crowd-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("SPUN crowd " + cpu);
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        switch (arguments[0]) {
            case "phases":
                phases();
                break;
            case "sleeps":
                sleepy(3000);
                break;
            case "chain":
                chain("", 1000, 300);
                break;
            case "chains":
                chains(Integer.parseInt(arguments[1]), 600);
                break;
            case "spins":
                spins(Integer.parseInt(arguments[1]));
                break;
            case "calls":
                calls();
                break;
            case "deep":
                deep(1500, 300);
                break;
            case "throws":
                throwAll(Long.parseLong(arguments[1]));
                break;
            case "recurses":
                recurseAll(Long.parseLong(arguments[1]));
                break;
            case "clocks":
                clocks();
                break;
            case "crowd":
                crowd();
                break;
            case "twins":
                twins();
                break;
            case "churn":
                churn(Long.parseLong(arguments[1]));
                break;
            default:
                Thread worker = new Thread(() -> {
                    try {
                        work();
                    } catch (InterruptedException e) {
                        sink++;
                    }
                }, "a worker with a long name");
                worker.setDaemon(true);
                worker.start();
                System.in.read();
        }
        System.out.println("ended");
    }
}

class Hidden {
    static void work(long ms) {
        Known.spin(ms);
    }
}

class Brief {
    public static int work(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += i % 7;
        }
        return sum;
    }
}
