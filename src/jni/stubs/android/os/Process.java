package android.os;

/** Only for the compiler: the real one comes with Android. */
public class Process {
    public static final native int myPid();

    public static final native long getStartUptimeMillis();

    public static final native long getStartRequestedUptimeMillis();
}
