package android.app;

import java.util.Collections;
import java.util.List;

/** Of an app that a person has started, and no process before it died. */
public class ActivityManager {
    public static class RunningAppProcessInfo {
        public int importance;
    }

    public static void getMyMemoryState(RunningAppProcessInfo info) {
        info.importance = 100; // in the foreground
    }

    public List<ApplicationExitInfo> getHistoricalProcessExitReasons(String name, int pid, int most) {
        return Collections.emptyList();
    }

    public void setProcessStateSummary(byte[] state) {}
}
