package android.app;

import java.util.List;

public class ActivityManager {
    public static class RunningAppProcessInfo {
        public static final int IMPORTANCE_FOREGROUND = 100;
        public int importance;
    }

    public static native void getMyMemoryState(RunningAppProcessInfo info);
    public native List<ApplicationExitInfo> getHistoricalProcessExitReasons(String name, int pid, int most);
    public native void setProcessStateSummary(byte[] state);
    public native List<ApplicationStartInfo> getHistoricalProcessStartReasons(int most);
}
