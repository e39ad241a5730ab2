package methodbeat;

import android.app.ActivityManager;
import android.app.ApplicationStartInfo;
import android.content.Context;
import android.os.Process;
import java.util.Map;

/** What the system says of the start of this process. Loaded from level 35 on. */
final class Starts35 {
    private static final int MOST = 5;
    private static final int PROCESS_STARTED = 0;
    private static final int START_REQUESTED = 1;
    private static final int REASON = 5;
    private static final int FOR_ACTIVITY = 1;
    private static final int FOR_OTHER = 2;

    /** Main thread. */
    static void tell(Context context) {
        ActivityManager manager = context.getSystemService(ActivityManager.class);
        for (ApplicationStartInfo info : manager.getHistoricalProcessStartReasons(MOST)) {
            if (info.getPid() == Process.myPid()) { // the newest comes first
                tell(info);
                return;
            }
        }
    }

    private static void tell(ApplicationStartInfo info) {
        Map<Integer, Long> times = info.getStartupTimestamps();
        tellTime(START_REQUESTED, times.get(ApplicationStartInfo.START_TIMESTAMP_LAUNCH));
        tellTime(PROCESS_STARTED, times.get(ApplicationStartInfo.START_TIMESTAMP_FORK));
        switch (info.getReason()) {
            case ApplicationStartInfo.START_REASON_LAUNCHER:
            case ApplicationStartInfo.START_REASON_LAUNCHER_RECENTS:
            case ApplicationStartInfo.START_REASON_START_ACTIVITY:
                NativeMonitors.app(REASON, System.nanoTime(), FOR_ACTIVITY);
                break;
            case ApplicationStartInfo.START_REASON_OTHER: // then what else is known says more
                break;
            default:
                NativeMonitors.app(REASON, System.nanoTime(), FOR_OTHER);
        }
    }

    /** The clock is that of System.nanoTime. */
    private static void tellTime(int what, Long at) {
        if (at != null && at > 0 && at <= System.nanoTime()) {
            NativeMonitors.app(what, at, 0);
        }
    }

    private Starts35() {}
}
