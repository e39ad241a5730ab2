package methodbeat;

import android.app.Activity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The class that instrumented code calls. Settings is the list of what can be set, and how.
 *
 * <p>Recording begins with the first probe. Without {@link #start} (or a file to write to, given as
 * a setting, which stands for it) everything is released after ten seconds.
 */
public final class MethodBeat {
    /** Told of every gain and loss of focus, on the thread where it happens. */
    public interface Listener {
        void onFocus(Object activity, boolean hasFocus);
    }

    private static final int MAX_ID = 0xFFFFD;
    private static final int MESSAGE_ID = 0xFFFFE;

    private static final boolean IS_MAPPED = Library.IS_MAPPED;
    private static final boolean IS_CRITICAL = Library.IS_CRITICAL;

    private static final Ring RING = Library.LOADED && IS_MAPPED ? new Ring() : null;

    /** The thread whose probes go into the main ring; null while nothing is recorded. */
    private static Thread main;

    /** Probes of other threads are to be looked at: they are recorded, or one of them is to be main. */
    private static boolean others;

    private static boolean recordsOthers;

    // All below: synchronized.
    private static boolean awaitsMain; // the main thread takes its ring with its next probe
    private static Thread chosen; // the main thread, once it is known
    private static String mainName; // before; null: it is the first that asks
    private static int ringSession;

    static {
        if (Library.LOADED && NativeProbes.begin(Settings.forLibrary(new String[0]), IS_MAPPED)) {
            String name = Settings.get("main", "first");
            mainName = name.equals("first") ? null : name;
            awaitMain();
            stopAtExit();
        }
    }

    public static void i(int id) {
        if (Thread.currentThread() == main) {
            if (IS_MAPPED) {
                enter(id);
            } else if (IS_CRITICAL) {
                CriticalProbes.i(id);
            } else {
                NativeProbes.i(id);
            }
        } else if (others) {
            enterElsewhere(id);
        }
    }

    public static void o(int id) {
        if (Thread.currentThread() == main) {
            if (IS_MAPPED) {
                leave(id);
            } else if (IS_CRITICAL) {
                CriticalProbes.o(id);
            } else {
                NativeProbes.o(id);
            }
        } else if (others) {
            leaveElsewhere(id);
        }
    }

    /** An activity gained or lost the focus. */
    public static void at(Activity activity, boolean hasFocus) {
        Scenes.at(activity, hasFocus);
    }

    /**
     * Record from now on, with settings "name=value" that go before the properties'. False if that
     * cannot be.
     */
    public static synchronized boolean start(String... settings) {
        if (!Library.LOADED || !NativeProbes.start(Settings.forLibrary(settings), IS_MAPPED)) {
            return false;
        }
        if (main == null || IS_MAPPED && ringSession != NativeProbes.session()) {
            awaitMain();
        }
        return true;
    }

    /** End recording; what was recorded can still be dumped. */
    public static synchronized void stop() {
        main = null;
        others = false;
        awaitsMain = false;
        if (Library.LOADED) {
            NativeProbes.stop();
        }
    }

    /** Write all there is to a trace file. */
    public static boolean dump(String path) {
        return Library.LOADED && NativeProbes.dump(path);
    }

    public static boolean isRecording() {
        return Library.LOADED && NativeProbes.isRecording();
    }

    public static void listen(Listener listener) {
        Scenes.listen(listener);
    }

    public static void unlisten(Listener listener) {
        Scenes.unlisten(listener);
    }

    /** Names of the activities that have the focus, in the order in which they got it. */
    public static String[] focused() {
        return Scenes.focused();
    }

    /** Unsigned, so that ids below 1 are out of range too. */
    private static boolean isMethod(int id) {
        return id - 1 + Integer.MIN_VALUE < MAX_ID + Integer.MIN_VALUE;
    }

    private static void enter(int id) {
        if (!isMethod(id) && !begins(id, true) || !RING.enter(id)) {
            end(id);
        }
    }

    private static void leave(int id) {
        if (!isMethod(id) && !begins(id, false) || !RING.leave(id)) {
            end(id);
        }
    }

    /** An id that is no method's: a message, or nothing at all (false). */
    private static boolean begins(int id, boolean begins) {
        if (id != MESSAGE_ID) {
            return false;
        }
        NativeProbes.message(begins);
        return true;
    }

    /** A record was refused: for its id, or since recording is over (released, stopped from C). */
    private static void end(int id) {
        if (isMethod(id) || id == MESSAGE_ID) {
            main = null;
        }
    }

    private static void enterElsewhere(int id) {
        if (awaitsMain && becomesMain()) {
            i(id);
        } else if (recordsOthers) {
            NativeProbes.i(id);
        }
    }

    private static void leaveElsewhere(int id) {
        if (awaitsMain && becomesMain()) {
            o(id);
        } else if (recordsOthers) {
            NativeProbes.o(id);
        }
    }

    /** A new recording: its main thread takes the ring, now or with its next probe. */
    private static synchronized void awaitMain() {
        main = null;
        recordsOthers = NativeProbes.layout()[8] != 0;
        awaitsMain = true;
        others = true;
        becomesMain();
    }

    /** The calling thread is main and now has its ring. */
    private static synchronized boolean becomesMain() {
        Thread thread = Thread.currentThread();
        if (!awaitsMain || !isToBeMain(thread)) {
            return false;
        }
        awaitsMain = false;
        others = recordsOthers;
        if (thread != chosen && !NativeProbes.becomeMain(thread.getName(), IS_MAPPED)) {
            return false;
        }
        chosen = thread;
        if (IS_MAPPED) {
            takeRing();
        } else {
            main = thread;
        }
        return main == thread;
    }

    private static boolean isToBeMain(Thread thread) {
        if (chosen != null) {
            return thread == chosen;
        }
        return mainName == null || thread.getName().equals(mainName);
    }

    private static void takeRing() {
        ByteBuffer memory = NativeProbes.memory();
        if (memory == null) {
            return;
        }
        memory.order(ByteOrder.nativeOrder());
        ringSession = NativeProbes.session();
        RING.point(memory.asLongBuffer(), NativeProbes.layout());
        main = chosen;
    }

    private static void stopAtExit() {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(MethodBeat::stop, "methodbeat stop"));
        } catch (IllegalStateException | SecurityException e) {
            // on the way out already, or not ours to say: the library stops at exit too
        }
    }

    private MethodBeat() {}
}
