package methodbeat;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What the library has for Monitors, and what it calls. */
final class NativeMonitors {
    private static final int MOST_FRAMES = 64;
    private static final int MOST_STACKS_SIZE = 256 * 1024;

    /** Settings "name=value"; those that are no monitors' but the recorder's are left out. */
    static native boolean start(String[] settings, String process);

    static native void stop();

    static native boolean isRunning();

    static native boolean set(String name, String value);

    /** True, and nothing has begun, while the calling thread is to be described. */
    static native boolean begin();

    /** message: what it was, or null. */
    static native void end(Object message);

    /** The calling thread has a loop. pinger may be null. */
    static native void describe(Thread thread, String name, Pinger pinger);

    static native void pong(int request);

    static native void scene(String name, boolean isForeground);

    /** From now on heard is called. */
    static native boolean listen();

    static native boolean issue(String detail, String key, String json);

    // ---- Called by the library, most on its own threads ----

    /** Functions that the thread is in, innermost first, a line each. */
    static String stackOf(Thread thread) {
        StackTraceElement[] frames = thread.getStackTrace();
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < frames.length && at < MOST_FRAMES; at++) {
            text.append(frames[at].getClassName()).append('.').append(frames[at].getMethodName());
            text.append('\n');
        }
        return text.toString();
    }

    /** Of all threads, as people read them. */
    static String stacks() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            Thread thread = entry.getKey();
            text.append('"').append(thread.getName()).append("\" ").append(thread.getState());
            text.append('\n');
            for (StackTraceElement frame : entry.getValue()) {
                text.append("\tat ").append(frame).append('\n');
            }
            if (text.length() > MOST_STACKS_SIZE) {
                break;
            }
        }
        return text.toString();
    }

    /** On the loop's thread, of a slow message only. */
    static String nameOf(Object message) {
        return message instanceof Described ? ((Described) message).describe()
                : message.getClass().getName();
    }

    static void ping(Pinger pinger, int request) {
        pinger.ping(request);
    }

    /** Texts are UTF-8, or null. */
    static void heard(byte[] detail, byte[] ended, long costNanos, byte[] json, byte[] file,
            boolean isReported) {
        Monitors.tell(new Monitors.Issue(text(detail), text(ended), costNanos, text(json),
                text(file), isReported));
    }

    private static String text(byte[] bytes) {
        return bytes != null ? new String(bytes, StandardCharsets.UTF_8) : null;
    }

    private NativeMonitors() {}
}
