package methodbeat;

import android.app.Activity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Stable;

/**
 * The class that instrumented code calls. Settings is the list of what can be set, and how.
 *
 * <p>Recording begins with the first probe. Without {@link #start} (or a file to write to, given as
 * a setting, which stands for it) everything is released after ten seconds.
 *
 * <p>The annotations of a JVM have two names, that of JDK 8 and that of its successors.
 */
public final class MethodBeat {
    /** Told of every gain and loss of focus, on the thread where it happens. */
    public interface Listener {
        void onFocus(Object activity, boolean hasFocus);
    }

    private static final int MAX_ID = 0xFFFFD;
    private static final int MESSAGE_ID = 0xFFFFE;
    private static final int MUTE_TABLE_SIZE = 0x100000;

    /**
     * [id]: nonzero once the method is muted; the library writes each entry once. In compiled code
     * array, length and id are constants; if the boot loader has this class, nonzero entries are,
     * too, and a muted probe compiles to nothing; elsewhere it takes one load. The length is a power
     * of two, so that every int has a slot. Declared first, since initialising the fields below may
     * run code with probes.
     */
    @Stable
    @java.lang.invoke.Stable
    private static final byte[] MUTED = newMuteTable();

    private static final boolean LOADED;
    private static final Class<?> VIRTUAL_THREAD;
    private static final boolean IS_MAPPED;
    private static final boolean IS_CRITICAL;
    private static final Ring RING;

    /** The thread whose probes go into the main ring; null while nothing is recorded. */
    private static Thread main;

    /** Probes of other threads are to be looked at: they are recorded, or one of them is to be main. */
    private static boolean others;

    private static boolean recordsOthers;

    // Written under the lock only.
    private static boolean awaitsMain; // the main thread takes its ring with its next probe
    private static Thread chosen; // the main thread, once it is known
    private static String mainName; // before; null: it is the first that asks
    private static String firstName; // of the thread with the first probe
    private static int ringSession;

    // An exception here would leave a class that cannot be used, and a program that fails with its
    // next probe. So none passes, and none of the methods below.
    static {
        boolean loaded = false;
        boolean mapped = false;
        boolean critical = false;
        Ring ring = null;
        Class<?> virtual = null;
        try {
            mapped = Library.IS_MAPPED;
            critical = Library.IS_CRITICAL;
            ring = Library.LOADED && mapped ? new Ring() : null;
            virtual = Library.VIRTUAL_THREAD;
            loaded = Library.LOADED;
        } catch (Throwable e) {
            giveUp(e);
        }
        LOADED = loaded;
        IS_MAPPED = mapped;
        IS_CRITICAL = critical;
        RING = ring;
        VIRTUAL_THREAD = virtual;
    }

    static {
        try {
            if (LOADED) {
                NativeProbes.takeMuteTable(MUTED);
            }
            if (LOADED && NativeProbes.begin(Settings.forLibrary(), IS_MAPPED)) {
                mainName = Settings.mainName();
                firstName = Thread.currentThread().getName();
                awaitMain();
                stopAtExit();
            }
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    @ForceInline
    @java.lang.invoke.ForceInline
    public static void i(int id) {
        if (MUTED[id & MUTED.length - 1] == 0) {
            recordEntry(id);
        }
    }

    @ForceInline
    @java.lang.invoke.ForceInline
    public static void o(int id) {
        if (MUTED[id & MUTED.length - 1] == 0) {
            recordExit(id);
        }
    }

    /**
     * Control is in a call of this method again, where a handler begins: all calls above it are
     * over.
     */
    @ForceInline
    @java.lang.invoke.ForceInline
    public static void c(int id) {
        if (MUTED[id & MUTED.length - 1] == 0) {
            recordCatch(id);
        }
    }

    /** An activity gained or lost the focus. */
    public static void at(Activity activity, boolean hasFocus) {
        Scenes.at(activity, hasFocus);
    }

    /**
     * Record from now on, with settings "name=value" that go before the properties'. False if that
     * cannot be as asked; where only its file cannot be had, it is recorded in memory, and
     * {@link #isRecording} is true.
     */
    public static synchronized boolean start(String... settings) {
        try {
            boolean isAsAsked = LOADED && NativeProbes.start(Settings.forLibrary(settings), IS_MAPPED);
            if (isRecording() && (main == null || IS_MAPPED && ringSession != NativeProbes.session())) {
                awaitMain();
            }
            return isAsAsked;
        } catch (Throwable e) {
            giveUp(e);
            return false;
        }
    }

    /** End recording; what was recorded can still be dumped. */
    public static synchronized void stop() {
        try {
            boolean misses = awaitsMain && chosen == null && mainName != null;
            main = null;
            others = false;
            awaitsMain = false;
            if (LOADED) {
                endOrphans();
                NativeProbes.stop();
            }
            if (misses) {
                Log.say("main=" + mainName + ": no thread of this name had a probe; the first that"
                        + " had one is " + firstName);
            }
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    /** Write all there is to a trace file. */
    public static boolean dump(String path) {
        try {
            endOrphans();
            return LOADED && NativeProbes.dump(path);
        } catch (Throwable e) {
            Log.say("no dump", e);
            return false;
        }
    }

    public static boolean isRecording() {
        try {
            return LOADED && NativeProbes.isRecording();
        } catch (Throwable e) {
            return false;
        }
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

    @DontInline
    @java.lang.invoke.DontInline
    private static void recordEntry(int id) {
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

    @DontInline
    @java.lang.invoke.DontInline
    private static void recordExit(int id) {
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

    @DontInline
    @java.lang.invoke.DontInline
    private static void recordCatch(int id) {
        if (Thread.currentThread() == main) {
            if (IS_MAPPED) {
                catchInRing(id);
            } else if (IS_CRITICAL) {
                CriticalProbes.c(id);
            } else {
                NativeProbes.c(id);
            }
        } else if (others) {
            caughtElsewhere(id);
        }
    }

    /** In the ring that Java writes: in others the monitors record messages themselves. */
    static void message(boolean begins) {
        if (Thread.currentThread() != main) {
            return;
        }
        if (begins) {
            enter(MESSAGE_ID);
        } else {
            leave(MESSAGE_ID);
        }
    }

    static boolean isMuted(int id) {
        return MUTED[id & MUTED.length - 1] != 0;
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

    private static void catchInRing(int id) {
        if (isMethod(id) && !RING.caught(id)) {
            end(id);
        }
    }

    /** Any other id than a method's: a message, or nothing at all (false). */
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
        Thread thread = Thread.currentThread();
        if (isVirtual(thread)) {
            if (recordsOthers && isMethod(id)) {
                VirtualCalls.enter(thread, id);
            }
        } else if (awaitsMain && isToBeMain(thread) && becomesMain()) {
            i(id);
        } else if (recordsOthers && NativeProbes.iElsewhere(id)) {
            tellName(thread);
            NativeProbes.iElsewhere(id);
        }
    }

    private static void leaveElsewhere(int id) {
        Thread thread = Thread.currentThread();
        if (isVirtual(thread)) {
            if (recordsOthers && isMethod(id)) {
                VirtualCalls.leave(id);
            }
        } else if (awaitsMain && isToBeMain(thread) && becomesMain()) {
            o(id);
        } else if (recordsOthers && NativeProbes.oElsewhere(id)) {
            tellName(thread);
            NativeProbes.oElsewhere(id);
        }
    }

    /**
     * A virtual thread may have another of the system's threads below it at its exit than it had at
     * its entry, and would leave parts of calls in the rings of both: see VirtualCalls.
     */
    private static boolean isVirtual(Thread thread) {
        return thread.getClass() == VIRTUAL_THREAD;
    }

    /** For whoever reads what was recorded: calls of threads that have ended are not open. */
    private static void endOrphans() {
        if (LOADED && VIRTUAL_THREAD != null) {
            LanePool.endOrphans();
        }
    }

    private static void tellName(Thread thread) {
        try {
            NativeProbes.name(thread.getName());
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    private static void caughtElsewhere(int id) {
        Thread thread = Thread.currentThread();
        if (isVirtual(thread)) {
            if (recordsOthers && isMethod(id)) {
                VirtualCalls.caught(id);
            }
        } else if (awaitsMain && isToBeMain(thread) && becomesMain()) {
            c(id);
        } else if (recordsOthers) {
            NativeProbes.c(id);
        }
    }

    /** A new recording: its main thread takes the ring, now or with its next probe. */
    private static synchronized void awaitMain() {
        main = null;
        recordsOthers = NativeProbes.layout()[4] != 0;
        awaitsMain = true;
        others = true;
        becomesMain();
    }

    /** The calling thread is main and now has its ring. */
    private static synchronized boolean becomesMain() {
        Thread thread = Thread.currentThread();
        if (!awaitsMain || isVirtual(thread) || !isToBeMain(thread)) {
            return false;
        }
        try {
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
        } catch (Throwable e) {
            giveUp(e);
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
        int session;
        ByteBuffer memory;
        long[] layout;
        do { // all three of one session, whoever restarts meanwhile
            session = NativeProbes.session();
            memory = NativeProbes.memory();
            layout = NativeProbes.layout();
        } while (session != NativeProbes.session());
        if (memory == null) {
            return;
        }
        memory.order(ByteOrder.nativeOrder());
        ringSession = session;
        RING.point(memory.asLongBuffer(), layout);
        main = chosen;
    }

    /** Without memory for it, nothing can be muted. */
    private static byte[] newMuteTable() {
        try {
            return new byte[MUTE_TABLE_SIZE];
        } catch (OutOfMemoryError e) {
            return new byte[1];
        }
    }

    private static void stopAtExit() {
        try {
            Thread stopper = new Thread(new Stop(), "methodbeat stop");
            stopper.setContextClassLoader(null); // the program may want to let go of its own
            Runtime.getRuntime().addShutdownHook(stopper);
        } catch (IllegalStateException | SecurityException e) {
            // on the way out already, or not ours to say: the library stops at exit too
        }
    }

    private static void giveUp(Throwable e) {
        main = null;
        others = false;
        awaitsMain = false;
        try {
            Log.say("recording ends", e);
        } catch (Throwable another) {
            // not even that class is there
        }
    }

    private MethodBeat() {}
}
