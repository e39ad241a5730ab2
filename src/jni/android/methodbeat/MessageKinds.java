package methodbeat;

/**
 * Kinds of messages, by the words of a Looper: "Handler (a.b.Clicks) {1f} null: 3" is a.b.Clicks.message-3,
 * and with a callback "a.b.Sync@7c" it is a.b.Sync.message. What is known already is found without an
 * object. Used by the loop's thread only, where the library is loaded.
 */
final class MessageKinds {
    private static final String HANDLER = "Handler (";
    private static final String LAMBDA = "$$Lambda";
    private static final String SYSTEM = "android.app.ActivityThread$H";
    private static final String FRAMES = "android.view.Choreographer$FrameHandler";
    private static final String FRAME = "android.view.Choreographer.doFrame";
    private static final String OTHER = "android.os.Handler.message";
    private static final int SLOTS = 512; // a power of two
    private static final int MOST = 127; // and OTHER

    /** What the system tells an app most: numbers of ActivityThread's messages and their names there. */
    private static final String[] TOLD = {
        "100", "LAUNCH_ACTIVITY", "101", "PAUSE_ACTIVITY", "107", "RESUME_ACTIVITY", "110", "BIND_APPLICATION",
        "113", "RECEIVER", "114", "CREATE_SERVICE", "115", "SERVICE_ARGS", "116", "STOP_SERVICE",
        "118", "CONFIGURATION_CHANGED", "121", "BIND_SERVICE", "159", "EXECUTE_TRANSACTION",
    };

    // By slot: the handler's class, the callback's class or the number, and the id.
    private final String[] handlers = new String[SLOTS];
    private final String[] details = new String[SLOTS];
    private final int[] ids = new int[SLOTS];
    private int count;
    private int other = -1; // not asked for yet

    // Of the line that is read: where its handler and its detail are.
    private int handler;
    private int handlerEnd;
    private int detail;
    private int detailEnd;
    private boolean isCallback;

    /** The id of the kind; 0: none. The words begin at that place of the line. */
    int of(String line, int at) {
        if (other < 0) {
            other = NativeMonitors.name(OTHER);
        }
        if (!read(line, at)) {
            return other;
        }
        int slot = line.charAt(handlerEnd - 1) * 31 + line.charAt(detailEnd - 1) * 17 + handlerEnd * 7 + detailEnd
                & SLOTS - 1;
        while (handlers[slot] != null && !isAt(slot, line)) {
            slot = slot + 1 & SLOTS - 1;
        }
        if (handlers[slot] == null) {
            if (count == MOST) {
                return other;
            }
            count++;
            handlers[slot] = line.substring(handler, handlerEnd);
            details[slot] = line.substring(detail, detailEnd);
            ids[slot] = NativeMonitors.name(nameOf(handlers[slot], details[slot]));
        }
        return ids[slot] != 0 ? ids[slot] : other;
    }

    private boolean isAt(int slot, String line) {
        String known = handlers[slot];
        String more = details[slot];
        return known.length() == handlerEnd - handler && more.length() == detailEnd - detail
                && line.startsWith(more, detail) && line.startsWith(known, handler);
    }

    /** False: it is not in Android's words, but an app's. */
    private boolean read(String line, int at) {
        handler = at + HANDLER.length();
        handlerEnd = line.indexOf(')', handler);
        int callback = line.indexOf("} ", handlerEnd) + 2;
        int number = line.lastIndexOf(':');
        if (!line.startsWith(HANDLER, at) || handlerEnd <= handler || callback < 2 || number <= callback) {
            return false;
        }
        isCallback = !line.startsWith("null", callback);
        detail = isCallback ? callback : number + 2;
        detailEnd = isCallback ? endOfClass(line, callback, number) : line.length();
        if (isCallback && !line.startsWith(FRAMES, handler)) { // by whatever handler
            handler = detail;
            handlerEnd = detailEnd;
        }
        return detailEnd > detail;
    }

    /** Without what differs from object to object, and from run to run. */
    private static int endOfClass(String line, int from, int to) {
        int lambda = line.indexOf(LAMBDA, from);
        int end = lambda >= 0 ? lambda + LAMBDA.length() : line.indexOf('@', from);
        return end >= 0 ? Math.min(end, to) : to;
    }

    private String nameOf(String type, String detail) {
        if (type.equals(FRAMES) && (isCallback || detail.equals("0"))) {
            return FRAME;
        }
        if (isCallback) {
            return detail + ".message";
        }
        return type.equals(SYSTEM) ? "android.app.ActivityThread." + told(detail) : type + ".message-" + detail;
    }

    private static String told(String number) {
        for (int i = 0; i < TOLD.length; i += 2) {
            if (TOLD[i].equals(number)) {
                return TOLD[i + 1];
            }
        }
        return "message-" + number;
    }
}
