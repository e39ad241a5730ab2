/** The same work each time: THREADS threads, each ROUNDS rounds of arithmetic below DEPTH calls. */
public class Steady {
    static volatile long sink;

    static long deep(int depth, long rounds) {
        return depth > 0 ? deep(depth - 1, rounds) + 1 : work(rounds);
    }

    static long work(long rounds) {
        long value = 1;
        for (long i = 0; i < rounds * 1000; i++) {
            value = value * 31 + (i ^ value >> 3);
        }
        return value;
    }

    public static void main(String[] args) throws InterruptedException {
        int depth = Integer.parseInt(args[1]);
        long rounds = Long.parseLong(args[2]);
        Thread[] threads = new Thread[Integer.parseInt(args[0]) - 1];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> run(depth, rounds), "steady " + i);
            threads[i].start();
        }
        run(depth, rounds);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void run(int depth, long rounds) {
        for (long i = 0; i < rounds; i++) {
            sink += deep(depth, 1000);
        }
    }
}
