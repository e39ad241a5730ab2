import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import methodbeat.MethodBeat;

/**
 * Threads of all kinds with probes written by hand. A thread of kind k calls method FIRST + k, which
 * calls INNER, and nothing else, so that whatever ring has another id was written by another thread.
 */
public final class Rings {
    private static final int KINDS = 4;
    private static final int FIRST = 10;
    private static final int INNER = 5;
    private static final int GET_ID = 6;
    private static final int SLOTS = 4096;
    private static final AtomicInteger failures = new AtomicInteger();

    /** All of one number, and with a probe where the recorder could ask for it. */
    private static final class Alike extends Thread {
        Alike(Runnable task) {
            super(task);
        }

        @Override
        public long getId() {
            MethodBeat.i(GET_ID);
            MethodBeat.o(GET_ID);
            return 1;
        }
    }

    private static final class Plain extends Thread {
        Plain(Runnable task, String name) {
            super(task, name);
        }
    }

    private static Thread thread(int kind, Runnable task) {
        switch (kind) {
            case 0:
                return new Thread(task);
            case 1:
                return new Thread(task, "of one name");
            case 2:
                return new Plain(task, "of one name");
            default:
                return new Alike(task);
        }
    }

    private static void call(int kind, int depth) {
        MethodBeat.i(FIRST + kind);
        try {
            MethodBeat.i(INNER);
            MethodBeat.o(INNER);
            if (depth > 0) {
                call(kind, depth - 1);
            }
        } finally {
            MethodBeat.o(FIRST + kind);
        }
    }

    private static void calls(int kind, int count) {
        for (int k = 0; k < count; k++) {
            call(kind, 0);
        }
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        threads.clear();
    }

    /** Numbers that no thread has, so that those of the next threads have the slots of older ones. */
    private static void skip(int count) {
        for (int k = 0; k < count; k++) {
            new Thread();
        }
    }

    /** Some that stay, and in their slots others that come and go. */
    private static void waves(int waves, int calls) throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger stayed = new AtomicInteger();
        List<Thread> staying = new ArrayList<>();
        for (int n = 0; n < 2 * KINDS; n++) {
            int kind = n % KINDS;
            staying.add(thread(kind, () -> {
                while (!isOver.get()) {
                    calls(kind, 1);
                    stayed.incrementAndGet();
                    sleep(1);
                }
            }));
            staying.get(n).start();
        }
        skip(SLOTS - 2 * KINDS);
        List<Thread> passing = new ArrayList<>();
        for (int wave = 0; wave < waves; wave++) {
            for (int kind = 0; kind < KINDS; kind++) {
                int k = kind;
                passing.add(thread(k, () -> calls(k, calls)));
            }
            passing.forEach(Thread::start);
            join(passing);
            skip(SLOTS - KINDS);
        }
        isOver.set(true);
        join(staying);
        System.out.println(waves * KINDS * calls + stayed.get());
    }

    private static void sleep(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** So many times recording stops and starts while threads record, come, go, fork and get new names. */
    private static void restarts(int count, String file) throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < 2 * KINDS; n++) {
            int kind = n % KINDS;
            boolean stays = n < KINDS;
            threads.add(thread(kind, () -> {
                while (!isOver.get()) {
                    storm(kind, stays);
                    sleep(1);
                }
            }));
            threads.get(n).start();
        }
        for (int n = 0; n < count; n++) {
            MethodBeat.stop();
            if (n % 1000 == 999) {
                new ProcessBuilder("true").start().waitFor();
            }
            if (!MethodBeat.start("words=5000:5000")) {
                failures.incrementAndGet();
            }
            if (n % 16 == 0) {
                sleep(1);
            }
        }
        sleep(50);
        MethodBeat.dump(file + ".storm");
        MethodBeat.stop();
        MethodBeat.start("file=" + file);
        sleep(50);
        MethodBeat.dump(file + ".dump"); // may have what was open
        isOver.set(true);
        join(threads);
        MethodBeat.stop();
        MethodBeat.start("file=" + file);
        waves(20, 100);
    }

    private static void storm(int kind, boolean stays) {
        calls(kind, 100);
        call(kind, 20);
        if (stays) {
            Thread.currentThread().setName("kind " + kind + " of " + System.nanoTime() % 10);
            return;
        }
        Thread next = thread(kind, () -> calls(kind, 50));
        next.start();
        try {
            next.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Longer than its ring, slow enough that nothing is lost. */
    private static void laps(int count) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < KINDS; n++) {
            int kind = n;
            threads.add(thread(kind, () -> {
                for (int k = 0; k < count; k++) {
                    calls(kind, 100);
                    sleep(5);
                }
            }));
            threads.get(n).start();
        }
        join(threads);
        System.out.println(KINDS * count * 100);
    }

    /** One that ended is not kept. */
    private static void ends() throws InterruptedException {
        List<WeakReference<Thread>> ended = new ArrayList<>();
        for (int n = 0; n < 20; n++) {
            int kind = n % KINDS;
            Thread thread = thread(kind, () -> calls(kind, 10));
            thread.start();
            thread.join();
            ended.add(new WeakReference<>(thread));
            thread = null;
        }
        int kept = 20;
        for (int n = 0; n < 50 && kept > 1; n++) {
            System.gc();
            sleep(10);
            kept = 0;
            for (WeakReference<Thread> reference : ended) {
                kept += reference.get() != null ? 1 : 0;
            }
        }
        System.out.println(kept <= 1 ? 200 : -kept); // the last one may lie in a local variable
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[1]);
        switch (arguments[0]) {
            case "waves":
                waves(count, 5);
                break;
            case "restarts":
                restarts(count, arguments[2]);
                break;
            case "laps":
                laps(count);
                break;
            default:
                ends();
        }
        System.out.println(failures.get());
    }

    private Rings() {}
}
