import java.util.Hashtable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/** Programs that wait for locks: which, how many times, in how many threads. */
public class Locking {
    static final Object shelf = new Object();
    static final ReentrantLock till = new ReentrantLock();
    static final ReentrantLock queue = new ReentrantLock(true);
    static final ReentrantReadWriteLock book = new ReentrantReadWriteLock();
    static final StampedLock stamp = new StampedLock();
    static final AtomicInteger waits = new AtomicInteger();
    static final Semaphore seats = new Semaphore(2);
    static final Hashtable<Integer, Integer> prices = new Hashtable<>();
    static volatile boolean isOver;
    static CyclicBarrier gate;

    static void rest(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- Monitors, of an object and of a class

    static void takeFromShelf() {
        synchronized (shelf) {
            rest(8);
        }
    }

    static synchronized void count() {
        rest(12);
    }

    static void stock(int number) {
        if (number % 2 == 0) {
            takeFromShelf();
        } else {
            count();
        }
    }

    // ---- Locks that park

    static void pay() {
        till.lock();
        try {
            rest(8);
        } finally {
            till.unlock();
        }
    }

    static void stand() {
        queue.lock();
        try {
            rest(8);
        } finally {
            queue.unlock();
        }
    }

    static void read() {
        book.readLock().lock();
        try {
            rest(4);
        } finally {
            book.readLock().unlock();
        }
    }

    static void write() {
        book.writeLock().lock();
        try {
            rest(10);
        } finally {
            book.writeLock().unlock();
        }
    }

    static void post() {
        long key = stamp.writeLock();
        try {
            rest(8);
        } finally {
            stamp.unlockWrite(key);
        }
    }

    static void look() {
        long key = stamp.readLock();
        try {
            rest(4);
        } finally {
            stamp.unlockRead(key);
        }
    }

    /** All wait for the writer, and go on at once. */
    static void crowd(CyclicBarrier gate, int number) {
        try {
            gate.await();
            if (number == 0) {
                book.writeLock().lock();
            }
            gate.await();
            if (number == 0) {
                rest(200);
                book.writeLock().unlock();
            } else {
                long begin = System.nanoTime();
                book.readLock().lock();
                waits.addAndGet(System.nanoTime() - begin > 20_000_000 ? 1 : 0);
                book.readLock().unlock();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static void shop(int number) {
        switch (number % 8) {
            case 0: read(); break;
            case 1: write(); break;
            case 2: case 4: case 6: pay(); break;
            default: stand();
        }
    }

    // ---- One that holds what others read

    static void refresh() {
        synchronized (prices) {
            rest(60);
            prices.merge(0, 1, Integer::sum);
        }
    }

    static int priceOf(int number) {
        rest(3);
        return prices.getOrDefault(number, 0); // synchronized
    }

    // ---- One that never waits for its lock, and is elsewhere while it has it

    static void audit() {
        if (till.tryLock()) {
            try {
                rest(60);
            } finally {
                till.unlock();
            }
        }
    }

    static void enter() {
        rest(3);
        till.lock();
        till.unlock();
    }

    static Thread startRefresher(boolean isAudit) {
        Thread refresher = new Thread(() -> {
            while (!isOver) {
                if (isAudit) {
                    audit();
                } else {
                    refresh();
                }
                rest(100);
            }
        }, "price-refresh");
        refresher.start();
        return refresher;
    }

    // ---- Waits for what is no lock, and one lock inside of another

    static void sit() {
        try {
            seats.acquire();
            rest(5);
            seats.release();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void takeAndPay() {
        synchronized (shelf) {
            pay();
        }
    }

    static void mix(int number) {
        if (number % 3 == 0) {
            sit();
        } else if (number % 3 == 1) {
            takeAndPay();
        } else {
            pay();
        }
    }

    // ----

    static void run(String which, int number) {
        switch (which) {
            case "monitors": stock(number); break;
            case "parks": shop(number); break;
            case "prices": priceOf(number); break;
            case "audit": enter(); break;
            case "book": if (number % 4 == 0) write(); else read(); break;
            case "stamp": if (number % 4 == 0) post(); else look(); break;
            case "crowd": crowd(gate, number); break;
            default: mix(number);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int count = Integer.parseInt(args[1]);
        boolean isAudit = args[0].equals("audit");
        Thread refresher = isAudit || args[0].equals("prices") ? startRefresher(isAudit) : null;
        int threads = args.length > 2 ? Integer.parseInt(args[2]) : 8;
        gate = new CyclicBarrier(threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        System.out.println("started");
        CountDownLatch done = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            int number = args[0].equals("crowd") ? i % threads : i;
            pool.submit(() -> {
                run(args[0], number);
                done.countDown();
                if (done.getCount() % 100 == 0) {
                    System.out.println(done.getCount() + " to go");
                }
            });
        }
        done.await();
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        isOver = true;
        System.out.println(waits + " waits");
        if (refresher != null) {
            refresher.join();
        }
    }
}
