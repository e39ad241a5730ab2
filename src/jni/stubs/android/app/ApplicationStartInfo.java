package android.app;

import java.util.Map;

public final class ApplicationStartInfo {
    public static final int START_REASON_LAUNCHER = 6;
    public static final int START_REASON_LAUNCHER_RECENTS = 7;
    public static final int START_REASON_OTHER = 8;
    public static final int START_REASON_START_ACTIVITY = 11;
    public static final int START_TIMESTAMP_LAUNCH = 0;
    public static final int START_TIMESTAMP_FORK = 1;
    public native int getPid();
    public native int getReason();
    public native Map<Integer, Long> getStartupTimestamps();
}
