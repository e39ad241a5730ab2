package methodbeat;

/** In no module: a JVM warns of natives that are bound in one of its own. */
public final class ParkNote {
    /** The thread parks for that, or, null, goes on. */
    public static native void note(Thread thread, Object blocker);

    private ParkNote() {}
}
