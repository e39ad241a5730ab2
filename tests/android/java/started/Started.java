package started;

import android.app.Activity;
import android.app.ActivityManager;
import android.app.Application;
import android.os.Process;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import methodbeat.AndroidMonitors;
import methodbeat.Monitors;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.LooperMode;
import org.robolectric.shadows.ShadowActivityManager;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;
import stage.Stage;

/**
 * What the system says a process was started for (level 35 or later): the property started.reason, and
 * that it was asked for some time ago. FACT name value. What is compiled against does not know its class.
 */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
@Config(shadows = Started.System.class)
public class Started {
    private static final long AGO_NS = 5000000000L;
    private static final int LAUNCH = 0;

    /** Knows of another process, too. */
    @Implements(ActivityManager.class)
    public static class System extends ShadowActivityManager {
        @Implementation(minSdk = 35)
        protected List<Object> getHistoricalProcessStartReasons(int most) throws ReflectiveOperationException {
            List<Object> starts = new ArrayList<>();
            starts.add(start(Process.myPid() + 1, 9));
            starts.add(start(Process.myPid(), Integer.getInteger("started.reason")));
            return starts;
        }

        private static Object start(int pid, int reason) throws ReflectiveOperationException {
            Object start = Class.forName("android.app.ApplicationStartInfo").getConstructor().newInstance();
            ReflectionHelpers.callInstanceMethod(start, "setPid", ClassParameter.from(int.class, pid));
            ReflectionHelpers.callInstanceMethod(start, "setReason", ClassParameter.from(int.class, reason));
            ReflectionHelpers.callInstanceMethod(start, "addStartupTimestamp", ClassParameter.from(int.class, LAUNCH),
                    ClassParameter.from(long.class, java.lang.System.nanoTime() - AGO_NS));
            return start;
        }
    }

    private static void fact(String name, Object value) {
        java.lang.System.out.println("FACT " + name + " " + value);
    }

    @Test
    public void tell() throws Exception {
        List<Monitors.Issue> issues = new CopyOnWriteArrayList<>();
        CountDownLatch told = new CountDownLatch(1);
        Monitors.listen(issue -> {
            issues.add(issue);
            if (issue.detail.equals("START")) {
                told.countDown();
            }
        });
        Stage.onMain(() -> fact("started", AndroidMonitors.start((Application) RuntimeEnvironment.getApplication())));
        Stage.launch(Activity.class, null);
        fact("in-time", told.await(2, TimeUnit.MINUTES));
        Stage.onMain(Monitors::stop);
        for (Monitors.Issue issue : issues) {
            fact("issue", issue.json);
        }
    }
}
