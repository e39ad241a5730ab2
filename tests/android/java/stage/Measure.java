package stage;

import android.os.Looper;
import android.util.Printer;
import java.lang.reflect.Field;

/** Around the printer that is there: how long messages were, at least and at most. FACT message, of long ones. */
public final class Measure implements Printer {
    private static final long TOLD_NS = 100000000;

    private final Printer next = placed();
    private String message;
    private long before;
    private long after;

    private Measure() {}

    public static void begin() {
        Stage.onMain(() -> Looper.getMainLooper().setMessageLogging(new Measure()));
    }

    @Override
    public void println(String line) {
        long called = System.nanoTime();
        if (next != null) {
            next.println(line);
        }
        long done = System.nanoTime();
        if (line.startsWith(">")) {
            before = called;
            after = done;
            message = line;
        } else if (message != null && done - before > TOLD_NS) {
            System.out.println("FACT message " + (called - after) + " " + (done - before) + " " + message);
        }
    }

    /** The printer that the main loop has. */
    public static Printer placed() {
        try {
            Field field = Looper.class.getDeclaredField("mLogging");
            field.setAccessible(true);
            return (Printer) field.get(Looper.getMainLooper());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
