import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** Requests of two kinds until it is killed, or COUNT of them: Endless FILE COUNT. What it has begun and ended of each is
 * in the file, whatever happens. */
public final class Endless {
    private static final int LONG = 50; // one of that number makes more calls than a short ring has room for
    private static final Object LOCK = new Object();
    private static LongBuffer counts;
    private static volatile int result;

    static void step(int number) {
        for (int i = 0; i < 9; i++) {
            result += number;
        }
    }

    static void order(int number) {
        for (int i = number % LONG == 7 ? 100_000 : 20; i > 0; i--) {
            step(i);
        }
        LockSupport.parkNanos(1_000_000);
    }

    static void user(int number) {
        if (number % LONG == 9) {
            LockSupport.parkNanos(20_000_000);
        }
        LockSupport.parkNanos(2_000_000);
        step(number);
    }

    private static void count(int place) {
        synchronized (LOCK) {
            counts.put(place, counts.get(place) + 1);
        }
    }

    private static void any(int number) {
        int kind = number % 2;
        count(kind);
        if (kind == 0) {
            order(number / 2);
        } else {
            user(number / 2);
        }
        count(2 + kind);
    }

    public static void main(String[] args) throws IOException {
        try (FileChannel file = FileChannel.open(Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.READ,
                                                 StandardOpenOption.WRITE)) {
            counts = file.map(FileChannel.MapMode.READ_WRITE, 0, 32).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        }
        ExecutorService pool = Executors.newFixedThreadPool(3);
        Semaphore places = new Semaphore(3);
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            int number = i;
            places.acquireUninterruptibly();
            pool.execute(() -> {
                any(number);
                places.release();
            });
        }
        pool.shutdown();
    }
}
