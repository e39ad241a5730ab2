import java.util.concurrent.locks.LockSupport;
import methodbeat.MethodBeat;
import methodbeat.Monitors;

/** Messages that are late, by what they do: arguments are WHAT:MS, each a message of main's loop. */
public final class Late {
    private static final Object LOCK = new Object();
    private static volatile int sink;

    static void spin(long ms) {
        long end = System.nanoTime() + ms * 1000000;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 200000; i++) {
                sink = sink * 31 + i;
            }
        }
    }

    static void first(long ms) {
        spin(ms / 4);
        spin(ms / 2);
    }

    static void second(long ms) {
        spin(ms / 4);
    }

    static void twice(int ms) {
        spin(ms);
    }

    static void twice(long ms) {
        spin(ms);
    }

    static void sleepy(long ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    static void parked(long ms) {
        long end = System.nanoTime() + ms * 1000000;
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(LOCK, end - System.nanoTime());
        }
    }

    static void waits(long ms) throws InterruptedException {
        synchronized (LOCK) {
            LOCK.wait(ms);
        }
    }

    /** Another thread has the lock for so long. */
    static void blocked(long ms) throws InterruptedException {
        Thread holder = new Thread(() -> {
            synchronized (LOCK) {
                synchronized (Late.class) {
                    Late.class.notifyAll();
                }
                LockSupport.parkNanos(ms * 1000000);
            }
        }, "holder");
        synchronized (Late.class) {
            holder.start();
            Late.class.wait();
        }
        synchronized (LOCK) {
            sink++;
        }
        holder.join();
    }

    private static void run(String what, long ms) throws Exception {
        switch (what) {
            case "work":
                first(ms);
                second(ms);
                break;
            case "twice":
                twice((int) ms / 2);
                twice(ms / 2);
                break;
            case "sleepy":
                sleepy(ms);
                break;
            case "parked":
                parked(ms);
                break;
            case "waits":
                waits(ms);
                break;
            case "blocked":
                blocked(ms);
                break;
            default:
                throw new IllegalArgumentException(what);
        }
    }

    /** A thread of its own that has a loop, too. */
    private static void inThread(String what, long ms) throws InterruptedException {
        Thread thread = new Thread(() -> inMessage(what, ms), "worker");
        thread.start();
        thread.join();
    }

    private static void inMessage(String what, long ms) {
        Monitors.begin();
        try {
            run(what, ms);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            Monitors.end();
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("started " + Monitors.start());
        for (String argument : arguments) {
            String[] parts = argument.split(":");
            if (parts[0].equals("outside")) {
                spin(Long.parseLong(parts[1]));
            } else if (parts[0].startsWith("worker-")) {
                inThread(parts[0].substring(7), Long.parseLong(parts[1]));
            } else {
                inMessage(parts[0], Long.parseLong(parts[1]));
            }
        }
        Monitors.stop();
        System.out.println("recorded " + MethodBeat.isRecording());
    }

    private Late() {}
}
