package methodbeat;

import android.util.Printer;

/**
 * Hears what a Looper says of its messages: a line as one begins, a line as it ends, and none where it
 * throws. Passes each line on to the printer that was there before. Used by the loop's thread only.
 */
final class LoopPrinter implements Printer, Described {
    private static final int NAME_AT = ">>>>> Dispatching to ".length();
    private static final String SYSTEM = "Handler (android.app.ActivityThread$H)";
    private static final String FRAMES = "Handler (android.view.Choreographer$FrameHandler)";
    private static final int END_NAME_AT = "<<<<< Finished to ".length();
    private static final int NESTED_LOOKS = 64; // a power of two: messages in one, between looks at the stack
    private static final int KEPT = 8; // begin lines of open messages, a power of two
    private static final int MOST_STRANGE = 100;

    private final Pinger pinger;
    private final String[] lines = new String[KEPT];
    private Printer origin;
    private boolean hears;
    private boolean isPassingOn;
    private int depth; // open messages
    private int nested; // of those, which are known to have a loop in them
    private int nestedBegins;
    private int strange; // lines before the first that is known; then -1
    private LineListener awaiting; // the first message of the system's to the app; or null
    private Runnable afterFrame; // or null
    private final MessageKinds kinds = new MessageKinds();
    private int kind; // of the outermost open message, in the trace; 0: none

    LoopPrinter(Pinger pinger) {
        this.pinger = pinger;
    }

    /** Hears of the first message that the system sends to the app, as it begins. */
    interface LineListener {
        void onSystemMessage(String line);
    }

    void await(LineListener listener) {
        awaiting = listener;
    }

    /** Runs at the end of each message in which a frame may have been drawn. Null: nothing does. */
    void afterFrame(Runnable listener) {
        afterFrame = listener;
    }

    /** Of another printer, or null. */
    void setOrigin(Printer printer) {
        origin = printer != this ? printer : null;
    }

    Printer origin() {
        return origin;
    }

    void hear() {
        hears = true;
        strange = 0;
    }

    /** Only pass on, from now. */
    void passOn() {
        hears = false;
        while (depth > 0) {
            end();
        }
    }

    /** In a message: its begin was heard. */
    boolean isInside() {
        return depth > nested;
    }

    @Override
    public void println(String line) {
        if (isPassingOn) { // we are in our own chain
            return;
        }
        if (origin != null) {
            isPassingOn = true;
            try {
                origin.println(line);
            } finally {
                isPassingOn = false;
            }
        }
        if (hears && line != null) {
            read(line);
        }
    }

    private void read(String line) {
        if (line.startsWith(">")) {
            strange = -1;
            begin(line);
        } else if (line.startsWith("<")) {
            if (afterFrame != null && line.startsWith(FRAMES, END_NAME_AT)) {
                afterFrame.run();
            }
            if (nested > 0) {
                leaveThrown(line);
            }
            end();
        } else if (strange >= 0 && ++strange == MOST_STRANGE) {
            hears = false;
            Log.say("messages are not watched: their lines are not Android's");
        }
    }

    private void begin(String line) {
        if (depth != nested || nested > 0 && (++nestedBegins & NESTED_LOOKS - 1) == 0) {
            nest();
        }
        lines[depth++ & KEPT - 1] = line;
        Monitors.begin(pinger);
        if (depth == 1 && Monitors.wereStarted) {
            kind = kinds.of(line, NAME_AT);
            if (kind != 0) {
                NativeMonitors.kind(kind, true);
            }
        }
        if (awaiting != null && line.startsWith(SYSTEM, NAME_AT)) {
            LineListener listener = awaiting;
            awaiting = null;
            listener.onSystemMessage(line);
        }
    }

    private void end() {
        if (depth > 0) {
            if (depth == 1 && kind != 0) {
                NativeMonitors.kind(kind, false);
                kind = 0;
            }
            Monitors.end(this);
            lines[--depth & KEPT - 1] = null;
            nested = Math.min(nested, depth);
        }
    }

    /** Those in the one that ends were left by a throw. */
    private void leaveThrown(String line) {
        String name = line.length() > END_NAME_AT ? line.substring(END_NAME_AT) : "";
        int at = depth;
        while (at > 0 && !startsWith(lines[at - 1 & KEPT - 1], name)) {
            at--;
        }
        while (at > 0 && depth > at) {
            end();
        }
    }

    private static boolean startsWith(String line, String name) {
        return line == null || line.startsWith(name, NAME_AT);
    }

    /** Another begins while some are open: a loop runs in them, or a throw left them. */
    private void nest() {
        int open = Math.max(loops() - 1, 0);
        while (depth > open) {
            end();
        }
        nested = depth;
    }

    private static int loops() {
        int loops = 0;
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            if (frame.getMethodName().equals("loop")
                    && frame.getClassName().equals("android.os.Looper")) {
                loops++;
            }
        }
        return loops;
    }

    /** Of the innermost open message. */
    @Override
    public String describe() {
        String line = lines[depth - 1 & KEPT - 1];
        return line != null && line.length() > NAME_AT ? line.substring(NAME_AT) : line;
    }
}
