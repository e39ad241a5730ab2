import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/* A pool's thread that runs tasks which throw and tasks which work, in turn. What catches is the JDK's
 * FutureTask, which has no probes. Prints how long each took in all, as they measured it. */
public class Pool {
    private static final int ROUNDS = 200;
    private static long failed;
    private static long worked;

    private static void fails() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < 1_000_000) {
        }
        RuntimeException planned = new IllegalStateException("as planned");
        failed += System.nanoTime() - start;
        throw planned;
    }

    private static void works() throws InterruptedException {
        long start = System.nanoTime();
        Thread.sleep(4);
        worked += System.nanoTime() - start;
    }

    /* The tasks in four forms, for each of which the compiler makes something else. */

    static class Task implements Callable<String> {
        @Override
        public String call() throws Exception {
            works();
            return "done";
        }
    }

    static class Failing {
        void run() {
            fails();
        }
    }

    private static Runnable failing(int round) {
        switch (round % 3) {
        case 0:
            return () -> fails();
        case 1:
            return new Failing()::run;
        default:
            return new Runnable() {
                @Override
                public void run() {
                    fails();
                }
            };
        }
    }

    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        List<Future<?>> futures = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            futures.add(pool.submit(failing(round)));
            futures.add(pool.submit(new Task()));
        }
        pool.submit(() -> System.out.println("fails " + failed + "\nworks " + worked)).get();
        pool.shutdown();
    }
}
