/**
 * Calls whose duration the program measures itself. Each has a method of its own, and a line of what is
 * printed: the method's name and the nanoseconds from just before the call to just after.
 */
public final class Truth {
    private static final class Expected extends RuntimeException {}

    private static void spin(long micros) {
        long end = System.nanoTime() + micros * 1000;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static void sleeps20() {
        sleep(20);
    }

    static void sleeps150() {
        sleep(150);
    }

    static void spinsShortly() {
        spin(300);
    }

    static void spins30() {
        spin(30_000);
    }

    static void recurses(int depth) {
        spin(1500);
        if (depth > 0) {
            recurses(depth - 1);
        }
    }

    static void recursesOnce() {
        recurses(6);
    }

    static void throwsLater() {
        spin(8000);
        throw new Expected();
    }

    static void passesOn() {
        throwsLater();
        spin(50_000);
    }

    static void catches() {
        try {
            passesOn();
        } catch (Expected expected) {
            spin(4000);
        }
    }

    static void onThread() {
        sleep(12);
        spin(7000);
    }

    private static synchronized void measure(String name, Runnable call) {
        long start = System.nanoTime();
        call.run();
        long took = System.nanoTime() - start;
        System.out.println(name + " " + took);
    }

    public static void main(String[] arguments) throws InterruptedException {
        measure("-", () -> { }); // loads what measuring needs
        measure("sleeps20", Truth::sleeps20);
        measure("spinsShortly", Truth::spinsShortly);
        measure("spins30", Truth::spins30);
        measure("recursesOnce", Truth::recursesOnce);
        measure("catches", Truth::catches);
        Thread thread = new Thread(() -> measure("onThread", Truth::onThread), "worker");
        thread.start();
        thread.join();
        measure("sleeps150", Truth::sleeps150);
    }

    private Truth() {}
}
