package methodbeat;

import android.app.Activity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
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
    /** Called at every gain and loss of focus, on the thread where it happens. */
    public interface Listener {
        void onFocus(Object activity, boolean hasFocus);
    }

    /** Kinds of records. */
    static final int ENTRY = 0;
    static final int EXIT = 1;
    static final int CATCH = 2;

    /** States of methods: beat_state in src/recorder/throttle.h. */
    private static final byte MUTE = 1;
    private static final byte TIMED = 2;

    private static final int MAX_ID = 0xFFFFD;
    private static final int MESSAGE_ID = 0xFFFFE;
    private static final int MUTE_TABLE_SIZE = 0x100000;
    private static final int SLOT_COUNT = 0x1000; // more than there are rings of threads

    /**
     * [id]: nonzero once the method is muted, or timed; the library writes each entry once. In compiled code
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

    /** The library's number of the present session; null where Java cannot read it. */
    private static final IntBuffer SESSION;

    /**
     * [slot of a thread]: its ring, or that of another one that has this slot. A power of two, as
     * above. A thread that does not find its ring there looks it up more slowly. Null where Java writes
     * none, and while the fields here are initialised.
     */
    private static final Ring[] RINGS;

    /** Others than main are recorded, or one of them is to be main. */
    private static boolean others;

    // Written under the lock only.
    private static boolean recordsOthers;
    private static Thread main; // once it is known
    private static boolean awaitsMain; // until then: it takes its place with its next probe
    private static String mainName; // null: it is the first that asks
    private static String firstName; // of the thread with the first probe

    // Of the main thread only: with its record of that number it looks at what one costs.
    private static int untilLook = 1;
    private static int nextLook = 1 << 10;

    // An exception here would leave a class that cannot be used, and a program that fails with its
    // next probe. So none passes, and none of the methods below.
    static {
        boolean loaded = false;
        boolean mapped = false;
        boolean critical = false;
        IntBuffer session = null;
        Ring[] rings = null;
        Class<?> virtual = null;
        try {
            mapped = Library.IS_MAPPED;
            critical = Library.IS_CRITICAL;
            rings = Library.LOADED && mapped ? new Ring[SLOT_COUNT] : null;
            session = Library.LOADED ? shareSession() : null;
            virtual = Library.VIRTUAL_THREAD;
            loaded = Library.LOADED;
        } catch (Throwable e) {
            giveUp(e);
        }
        LOADED = loaded;
        IS_MAPPED = mapped;
        IS_CRITICAL = critical;
        SESSION = session;
        RINGS = rings;
        VIRTUAL_THREAD = virtual;
    }

    static {
        try {
            if (LOADED) {
                NativeProbes.takeMuteTable(MUTED);
                Cost.prepare(IS_MAPPED);
            }
            if (LOADED && NativeProbes.begin(Settings.forLibrary(), IS_MAPPED)) {
                firstName = Thread.currentThread().getName();
                mainName = nameOfMain();
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
        byte state = MUTED[id & MUTED.length - 1];
        if (state == 0) {
            recordEntry(id);
        } else if (state == TIMED) {
            recordTimedEntry(id);
        }
    }

    @ForceInline
    @java.lang.invoke.ForceInline
    public static void o(int id) {
        byte state = MUTED[id & MUTED.length - 1];
        if (state == 0) {
            recordExit(id);
        } else if (state == TIMED) {
            recordTimedExit(id);
        }
    }

    /**
     * Control is in a call of this method again, where a handler begins: all calls above it are
     * over.
     */
    @ForceInline
    @java.lang.invoke.ForceInline
    public static void c(int id) {
        if (MUTED[id & MUTED.length - 1] != MUTE) {
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
            awaitsMain = main == null; // or its next probe would take a ring like any other thread's
            boolean isAsAsked = LOADED && NativeProbes.start(Settings.forLibrary(settings), IS_MAPPED);
            if (isRecording()) {
                awaitMain();
            } else {
                awaitsMain = false;
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
            boolean misses = awaitsMain && mainName != null && !isOfAttach(firstName);
            awaitsMain = false;
            if (LOADED) {
                Cost.look();
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

    /** For the agent's bridge, which begins as the probes here do. */
    public static byte[] mutes() {
        return MUTED;
    }

    @DontInline
    @java.lang.invoke.DontInline
    public static void recordEntry(int id) {
        Thread thread = Thread.currentThread();
        Ring ring = RINGS != null ? RINGS[slotOf(thread)] : null;
        if (ring == null || ring.get() != thread || !isMethod(id) || !ring.enter(id)) {
            recordElsewhere(thread, ENTRY, id);
        }
    }

    @DontInline
    @java.lang.invoke.DontInline
    public static void recordExit(int id) {
        Thread thread = Thread.currentThread();
        Ring ring = RINGS != null ? RINGS[slotOf(thread)] : null;
        if (ring == null || ring.get() != thread || !isMethod(id) || !ring.leave(id)) {
            recordElsewhere(thread, EXIT, id);
        }
    }

    @DontInline
    @java.lang.invoke.DontInline
    public static void recordCatch(int id) {
        Thread thread = Thread.currentThread();
        Ring ring = RINGS != null ? RINGS[slotOf(thread)] : null;
        if (ring == null || ring.get() != thread || !isMethod(id) || !ring.caught(id)) {
            recordElsewhere(thread, CATCH, id);
        }
    }

    /**
     * Any class but Thread itself may have its own getId, with probes in it, but none has its own
     * getName. Names may be alike, numbers not.
     */
    private static int slotOf(Thread thread) {
        boolean isPlain = thread.getClass() == Thread.class;
        return (isPlain ? (int) thread.getId() : thread.getName().hashCode()) & RINGS.length - 1;
    }

    static boolean isMuted(int id) {
        return MUTED[id & MUTED.length - 1] == MUTE;
    }

    /** What probes call for methods whose requests are timed: src/recorder/readings.h. */
    @DontInline
    @java.lang.invoke.DontInline
    public static void recordTimedEntry(int id) {
        if (!isMuted(id)) { // compiled code may not know yet
            time(id);
            recordEntry(id);
        }
    }

    @DontInline
    @java.lang.invoke.DontInline
    public static void recordTimedExit(int id) {
        if (!isMuted(id)) { // compiled code may not know yet
            time(id);
            recordExit(id);
        }
    }

    /** Native probes do it themselves. */
    private static void time(int id) {
        if (RINGS != null && !isVirtual(Thread.currentThread())) {
            NativeProbes.time(id);
        }
    }

    /** Unsigned, so that ids below 1 are out of range too. */
    private static boolean isMethod(int id) {
        return id - 1 + Integer.MIN_VALUE < MAX_ID + Integer.MIN_VALUE;
    }

    /** The thread has no ring of the present session in its slot, or this is no method's record. */
    @DontInline
    @java.lang.invoke.DontInline
    private static void recordElsewhere(Thread thread, int kind, int id) {
        int session = SESSION != null ? SESSION.get(0) : 1;
        if (!others && thread != main || (session & 1) == 0 || !isMethod(id) && id != MESSAGE_ID) {
            return;
        }
        if (isVirtual(thread)) {
            if (recordsOthers && id != MESSAGE_ID) {
                VirtualCalls.record(thread, kind, id);
            }
            return;
        }
        if (awaitsMain) {
            becomeMain(thread);
        }
        if (thread == main && --untilLook == 0) {
            untilLook = nextLook;
            nextLook = Math.min(nextLook, 1 << 27) << 3;
            Cost.look();
        }
        if (recordsOthers || thread == main) {
            Ring ring = IS_MAPPED && id != MESSAGE_ID ? ringOf(thread, session) : null;
            if (ring == null || !ring.record(kind, id)) {
                recordNatively(thread, kind, id);
            }
        }
    }

    /** In its slot from now on, if that is free. */
    private static Ring ringOf(Thread thread, int session) {
        try {
            Ring ring = Ring.find(thread, session);
            int slot = slotOf(thread);
            if (ring != null && (RINGS[slot] == null || RINGS[slot].isFree())) {
                RINGS[slot] = ring;
            }
            return ring;
        } catch (Throwable e) { // memory or stack are at their end; maybe not with its next call
            return null;
        }
    }

    private static void recordNatively(Thread thread, int kind, int id) {
        boolean isCritical = IS_CRITICAL && thread == main;
        if (kind == CATCH) {
            if (isCritical) {
                CriticalProbes.c(id);
            } else {
                NativeProbes.c(id);
            }
        } else if (isCritical) {
            recordCritically(kind, id);
        } else if (kind == ENTRY ? NativeProbes.i(id) : NativeProbes.o(id)) {
            tellName(thread);
            recordNatively(thread, kind, id);
        }
    }

    private static void recordCritically(int kind, int id) {
        if (kind == ENTRY) {
            CriticalProbes.i(id);
        } else {
            CriticalProbes.o(id);
        }
    }

    /**
     * A virtual thread may have another of the system's threads below it at its exit than it had at
     * its entry, and would leave parts of calls in the rings of both: see VirtualCalls.
     */
    private static boolean isVirtual(Thread thread) {
        return thread.getClass() == VIRTUAL_THREAD;
    }

    /** So that readers of the recording do not see calls of ended threads as open. */
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

    /** A new recording. */
    private static synchronized void awaitMain() {
        recordsOthers = NativeProbes.recordsOthers();
        awaitsMain = main == null;
        others = true;
        becomeMain(Thread.currentThread());
    }

    private static synchronized void becomeMain(Thread thread) {
        if (awaitsMain && !isVirtual(thread) && isToBeMain(thread)) {
            awaitsMain = false;
            main = thread;
            NativeProbes.becomeMain();
        }
        others = recordsOthers || awaitsMain;
    }

    private static boolean isToBeMain(Thread thread) {
        String name = thread.getName();
        return mainName != null ? name.equals(mainName) : !isOfAttach(name);
    }

    /** The JVM's thread for agents, and methodbeat's, which agent/task.h names. */
    private static boolean isOfAttach(String name) {
        return "Attach Listener".equals(name) || "methodbeat attach".equals(name);
    }

    /** Where one of these begins to record, main is the program's first, if that goes on. */
    private static String nameOfMain() {
        String name = Settings.mainName();
        return name == null && isOfAttach(firstName) && lives("main") ? "main" : name;
    }

    /** A thread of that name in the groups of the calling one. */
    private static boolean lives(String name) {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        Thread[] threads = new Thread[group.activeCount() * 2 + 16];
        for (int number = group.enumerate(threads); number-- > 0;) {
            if (threads[number].getName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    private static IntBuffer shareSession() {
        ByteBuffer bytes = NativeProbes.session();
        return bytes != null ? bytes.order(ByteOrder.nativeOrder()).asIntBuffer() : null;
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
            NativeProbes.stop();
        } catch (Throwable another) {
            // not even these classes are there
        }
    }

    private MethodBeat() {}
}
