package methodbeat;

import android.app.Application;
import android.content.pm.ApplicationInfo;
import android.os.Debug;

/**
 * The library as an agent, which takes stacks at any time, of any thread. Only apps that may be debugged
 * may have one; in others the stacks are those of the monitors. Loaded from level 28 on.
 */
final class Agent28 {
    static void attach(Application application) {
        if ((application.getApplicationInfo().flags & ApplicationInfo.FLAG_DEBUGGABLE) == 0
                || !NativeMonitors.wantsAgent()) {
            return;
        }
        try {
            Debug.attachJvmtiAgent(Settings.get("library", "libmethodbeat.so"), null,
                    application.getClassLoader());
        } catch (Throwable e) { // whatever a system does about agents
            Log.say("samples are taken of late messages only, as the agent is not attached", e);
        }
    }

    private Agent28() {}
}
