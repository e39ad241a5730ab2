import methodbeat.MethodBeat;

/** Calls the stub in ways whose totals are known; the argument names the way. */
public final class Calls {
    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
        case "nested":
            MethodBeat.i(1);
            MethodBeat.i(2);
            MethodBeat.o(2);
            MethodBeat.o(1);
            break;
        case "skipped": /* 2 and 3 are passed by */
            MethodBeat.i(1);
            MethodBeat.i(2);
            MethodBeat.i(3);
            MethodBeat.o(1);
            break;
        case "alone":
            MethodBeat.o(7);
            break;
        case "twice":
            MethodBeat.i(7);
            MethodBeat.o(7);
            MethodBeat.o(7);
            break;
        case "open": /* the main thread leaves while another is inside */
            inside(true);
            MethodBeat.i(1);
            System.exit(0);
            break;
        case "threads":
            Thread[] threads = new Thread[2000];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread(() -> deep(100));
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            break;
        case "at":
            MethodBeat.at(new android.app.Activity(), true);
            break;
        default:
            throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void inside(boolean isDaemon) throws InterruptedException {
        java.util.concurrent.CountDownLatch entered = new java.util.concurrent.CountDownLatch(1);
        Thread thread = new Thread(() -> {
            MethodBeat.i(5);
            entered.countDown();
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        thread.setDaemon(isDaemon);
        thread.start();
        entered.await();
    }

    private static void deep(int depth) {
        MethodBeat.i(depth);
        if (depth > 0) {
            deep(depth - 1);
        }
        MethodBeat.o(depth);
    }
}
