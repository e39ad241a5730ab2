import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.locks.LockSupport;

/**
 * Methods whose share of each second is known: spin has a thread for itself, half works half of the
 * time, nap waits all of it, and tick is called a hundred times a second. "again" records anew, an
 * end of line ends the program.
 */
public class Shares {
    static volatile long sink;
    static volatile boolean ends;

    static void burn(long until) {
        while (System.nanoTime() < until && !ends) {
            sink++;
        }
    }

    static void spin() {
        burn(Long.MAX_VALUE);
    }

    static void spinOnce() {
        burn(System.nanoTime() + 20_000_000);
    }

    static void half() throws InterruptedException {
        spinOnce();
        Thread.sleep(20);
    }

    static void nap() {
        while (!ends) {
            LockSupport.park();
        }
    }

    static void tick() {
        for (int i = 0; i < 100; i++) {
            sink += i;
        }
    }

    static void ticks() {
        while (!ends) {
            tick();
            LockSupport.parkNanos(10_000_000);
        }
    }

    static void halves() {
        try {
            while (!ends) {
                half();
            }
        } catch (InterruptedException e) {
            ends = true;
        }
    }

    static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Begins another recording in the place of this one, as programs may that record themselves.
     * Reflection would look at all methods of the class, one of which takes an Activity.
     */
    static void recordAgain() throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        Class<?> recorder = Class.forName("methodbeat.MethodBeat");
        lookup.findStatic(recorder, "stop", MethodType.methodType(void.class)).invoke();
        lookup.findStatic(recorder, "start", MethodType.methodType(boolean.class, String[].class))
                .invokeWithArguments("file=t.mbtrace");
    }

    public static void main(String[] args) throws Throwable {
        start("spinner", () -> spin());
        start("halver", () -> halves());
        start("ticker", () -> ticks());
        int nappers = args.length > 0 ? Integer.parseInt(args[0]) : 1;
        for (int i = 0; i < nappers; i++) {
            start("napper-" + i, () -> nap());
        }
        System.out.println("ready");
        for (int c = System.in.read(); c != '\n'; c = System.in.read()) {
            if (c == 'n') { // of "again"
                recordAgain();
            }
        }
        ends = true;
        System.out.println("ended");
    }
}
