package methodbeat;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What the library has for Monitors, and what it calls. */
final class NativeMonitors {
    private static final int MOST_FRAMES = 1024;
    private static final int MOST_STACKS_SIZE = 256 * 1024;

    /** Null if the ends of earlier processes are unknown. To be set before the start. */
    static volatile Exits exits;

    /** Settings "name=value"; those of the recorder are left out. */
    static native boolean start(String[] settings, String process);

    static native void stop();

    static native boolean isRunning();

    static native boolean set(String name, String value);

    /** True, and nothing has begun, while the calling thread is to be described. */
    static native boolean begin();

    /** message: what it was, or null. */
    static native void end(Object message);

    /** The id of a kind of messages, "class.method", for the trace; 0 if there are too many. */
    static native int name(String kind);

    /** The message that has just begun is of that kind, or is about to end. */
    static native void kind(int id, boolean begins);

    /** The calling thread has a loop. pinger may be null. */
    static native void describe(Thread thread, String name, Pinger pinger);

    static native void pong(int request);

    static native void scene(String name, boolean isForeground);

    /**
     * A frame was drawn. What Android's FrameMetrics has, times in ns of System.nanoTime: 0 intended vsync,
     * 1 vsync (0: the same), 2 total, 3 deadline, 4 interval of the display, 5 flags (1: the first of its
     * window), 6 reports lost before, 7 to 15 unknown delay, input, animation, layout, draw, sync, issue,
     * swap, GPU. Durations that are not known are 0, of a stage that did not end -100. False: cannot be.
     */
    static native boolean frame(long[] values);

    /**
     * What becomes of an Activity: 0 created (flag: with saved state), 1 started, 2 resumed, 3 paused,
     * 4 stopped, 5 destroyed, 6 drawn for the first time, 7 focused, 8 not any more. id is not 0.
     */
    static void activity(int what, int id, String name, long atNanos, boolean flag) {
        window(flag ? what | 256 : what, id, name, atNanos);
    }

    private static native void window(int what, int id, String name, long atNanos);

    /**
     * How the process started: 0 it was, 1 that was asked for, 2 first record, 3 monitors began (value 1:
     * in the foreground), 4 first message after the application was created (value: its number),
     * 5 the system's word (value 1: for an Activity, 2: not), 6 fully drawn.
     */
    static native void app(int what, long atNanos, int value);

    /**
     * What is shown beside a screen, 64 numbers: 0 fps, 1 refresh rate, 2 colour (0 at rest, 1 best, normal,
     * middle, high, 5 frozen), 3 to 6 shares of normal to frozen in percent, 7 score, 8 number of bars, then
     * the bars, fps << 8 | colour, oldest first. False: the monitors do not run.
     */
    static native boolean overlay(long nowNanos, int[] values);

    /** From now on heard is called. */
    static native boolean listen();

    /** What is recorded asks for samples, which the library could take as an agent, and is none yet. */
    static native boolean wantsAgent();

    static native boolean issue(String detail, String key, String json);

    // ---- Called by the library, most on its own threads ----

    /** The thread's state, then the functions that it is in, innermost first, a line each. */
    static String stackOf(Thread thread) {
        StackTraceElement[] frames = thread.getStackTrace();
        StringBuilder text = new StringBuilder(thread.getState().name());
        text.append(frames.length > 0 && frames[0].isNativeMethod() ? " native\n" : "\n");
        for (int at = 0; at < frames.length && at < MOST_FRAMES; at++) {
            text.append(frames[at].getClassName()).append('.').append(frames[at].getMethodName());
            appendPlace(text, frames[at]);
            text.append('\n');
        }
        return text.toString();
    }

    /** Shrinkers tell by the line what was inlined; without a file it is Android's number of the instruction. */
    private static void appendPlace(StringBuilder text, StackTraceElement frame) {
        String file = frame.getFileName();
        if (frame.getLineNumber() >= 0) {
            text.append('(').append(file != null ? file : "Unknown Source").append(':');
            text.append(frame.getLineNumber()).append(')');
        }
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

    /**
     * Of earlier processes that the system ended since they did not respond, those that were not told
     * before; five texts of each: when (ms since 1970), its number, what it noted last, the system's
     * reason and its stacks. All but the first two may be null.
     */
    static String[] exits() {
        Exits source = exits;
        return source != null ? source.take() : null;
    }

    /** Those that exits gave last are told. */
    static void exitsTold() {
        Exits source = exits;
        if (source != null) {
            source.told();
        }
    }

    /** What the system is to keep of this process, in ASCII. */
    static void note(byte[] text) {
        Exits source = exits;
        if (source != null) {
            source.note(text);
        }
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
