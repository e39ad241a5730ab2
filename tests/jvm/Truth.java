/**
 * Calls whose duration the program measures itself. Each has a method of its own, and a line of what is
 * printed: the method's name, the nanoseconds from its first statement to its last, and those from just
 * before the call to just after. What others do with the CPU in between makes no duration wrong.
 */
public final class Truth {
    private static final class Expected extends RuntimeException {}

    private static long began;
    private static long within;

    private static void begin() {
        began = System.nanoTime();
    }

    private static void end() {
        within = System.nanoTime() - began;
    }

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
        begin();
        sleep(20);
        end();
    }

    static void sleeps150() {
        begin();
        sleep(150);
        end();
    }

    static void spinsShortly() {
        begin();
        spin(300);
        end();
    }

    static void spins30() {
        begin();
        spin(30_000);
        end();
    }

    static void recurses(int depth) {
        spin(1500);
        if (depth > 0) {
            recurses(depth - 1);
        }
    }

    static void recursesOnce() {
        begin();
        recurses(6);
        end();
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
        begin();
        try {
            passesOn();
        } catch (Expected expected) {
            spin(4000);
        }
        end();
    }

    static void onThread() {
        begin();
        sleep(12);
        spin(7000);
        end();
    }

    private static synchronized void measure(String name, Runnable call) {
        long start = System.nanoTime();
        call.run();
        long took = System.nanoTime() - start;
        System.out.println(name + " " + within + " " + took);
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
