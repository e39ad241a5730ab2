package ours;

import android.app.Application;
import methodbeat.AndroidMonitors;
import methodbeat.Monitors;
import script.Side;

/** methodbeat as it is by default; a probe has begun to record before. */
public final class Ours implements Side {
    @Override
    public void start(Application application, Listener listener) {
        Monitors.listen(issue -> listener.onIssue(issue.json));
        if (!AndroidMonitors.start(application)) {
            throw new AssertionError("no monitors");
        }
    }
}
