package android.os;

public class Process {
    public static final native int myPid();
    public static final native long getStartUptimeMillis();
    public static final native long getStartRequestedUptimeMillis();
}
