package methodbeat;

import java.io.File;

/** libmethodbeat, loaded or not: without it the program runs on and records nothing. */
final class Library {
    /** Counts the changes of NativeProbes: JNI_PROBES_VERSION in jni/probes.h. */
    private static final int VERSION = 11;

    static final boolean IS_MAPPED;
    static final boolean IS_CRITICAL;
    static final boolean LOADED;

    /** The class of virtual threads, which is final; null on a JVM without them. */
    static final Class<?> VIRTUAL_THREAD;

    static {
        boolean mapped = false;
        boolean critical = false;
        boolean loaded = false;
        try {
            mapped = Settings.isMapped();
            loaded = (isBound() || load(Settings.get("library", null))) && fits();
            critical = loaded && !mapped && Settings.isAndroid() && hasCriticalNatives() && callsCritically();
        } catch (Throwable e) { // a fault of methodbeat must not become the program's
            Log.say("nothing is recorded", e);
        }
        IS_MAPPED = mapped;
        IS_CRITICAL = critical;
        LOADED = loaded;
        VIRTUAL_THREAD = findVirtualThread();
    }

    private static Class<?> findVirtualThread() {
        try {
            return Class.forName("java.lang.VirtualThread");
        } catch (Throwable e) {
            return null;
        }
    }

    /** The agent has bound the native methods itself. */
    private static boolean isBound() {
        try {
            NativeProbes.version();
            return true;
        } catch (UnsatisfiedLinkError e) {
            return false;
        }
    }

    private static boolean load(String path) {
        if (path == null) {
            System.loadLibrary("methodbeat");
            return true;
        }
        File file = new File(path).getAbsoluteFile();
        if (file.exists() && !file.isFile()) { // the linker would wait for a pipe's other end
            Log.say("nothing is recorded: " + file + " is not a file");
            return false;
        }
        System.load(file.getPath());
        return true;
    }

    private static boolean fits() {
        int version;
        try {
            version = NativeProbes.version();
        } catch (UnsatisfiedLinkError e) {
            version = 0; // another library altogether
        }
        if (version != VERSION) {
            Log.say("nothing is recorded: the library is not that of this methodbeat-runtime.jar");
        }
        return version == VERSION;
    }

    /**
     * Android 8 is the first that honours the annotation. It is public, and part of the tests that each
     * device must pass, from Android 14 on; before, the system itself relied on it. Up to 11 such methods
     * are found only where they are registered, as ours are. They wait for no lock under which others call
     * Java: a collector waits for them.
     */
    static boolean hasCriticalNatives() {
        try {
            Class<?> version = Class.forName("android.os.Build$VERSION");
            return version.getField("SDK_INT").getInt(null) >= 26;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /** A library for another system has none, and one that is called as usual gets another number. */
    private static boolean callsCritically() {
        try {
            return CriticalProbes.next(VERSION) == VERSION + 1;
        } catch (UnsatisfiedLinkError e) {
            return false;
        }
    }

    private Library() {}
}
