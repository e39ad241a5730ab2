package exits;

import android.app.ActivityManager;
import android.app.Application;
import android.app.ApplicationExitInfo;
import android.content.Context;
import android.os.Handler;
import android.os.Looper;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
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
import org.robolectric.Shadows;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.LooperMode;
import org.robolectric.shadows.ShadowActivityManager;
import org.robolectric.shadows.ShadowActivityManager.ApplicationExitInfoBuilder;
import stage.Stage;

/**
 * A process that does not respond and dies, and the next ones, which the system tells of it: FACT name value.
 * Properties say which it is: exits.noted, what the first one noted, exits.now, the time of the day, and
 * exits.issues, after how many issues it is done; 0: it dies with the first.
 */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
@Config(shadows = Exits.System.class)
public class Exits {
    private static final CountDownLatch NOTED = new CountDownLatch(1);
    private static final int OTHER_PID = 77;
    private static final int TRACE_SIZE = 100000;
    private static final int DIED = 9; // as robolectric.py knows it
    private static final int DIE_MS = 120000; // by which it has

    /** Says what it was given to keep. */
    @Implements(ActivityManager.class)
    public static class System extends ShadowActivityManager {
        @Implementation(minSdk = 30)
        protected void setProcessStateSummary(byte[] state) {
            fact("noted", new String(state, StandardCharsets.US_ASCII));
            NOTED.countDown();
        }
    }

    private static void fact(String name, Object value) {
        java.lang.System.out.println("FACT " + name + " " + value);
    }

    @Test
    public void tell() throws Exception {
        String noted = java.lang.System.getProperty("exits.noted");
        if (noted == null) {
            die();
        } else {
            live(noted, Integer.getInteger("exits.issues"));
        }
    }

    private static boolean start() {
        boolean[] hasStarted = new boolean[1];
        Stage.onMain(() -> hasStarted[0] = AndroidMonitors.start((Application) RuntimeEnvironment.getApplication()));
        return hasStarted[0];
    }

    private static void die() throws InterruptedException {
        fact("started", start());
        new Handler(Looper.getMainLooper()).post(() -> {
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        fact("in-time", NOTED.await(2, TimeUnit.MINUTES));
        Thread.sleep(1000); // so that the note is written, and a later stage
        Runtime.getRuntime().halt(DIED);
    }

    private static ApplicationExitInfoBuilder exit(String process, int pid, int reason, String description,
            long agoMs) {
        return ApplicationExitInfoBuilder.newBuilder().setProcessName(process).setPid(pid).setReason(reason)
                .setDescription(description).setTimestamp(Long.getLong("exits.now") - agoMs);
    }

    /** The newest exit that need not be told again, as ms since 1970; 0: none. */
    private static long seen() {
        return RuntimeEnvironment.getApplication()
                .getSharedPreferences("methodbeat." + Application.getProcessName(), Context.MODE_PRIVATE)
                .getLong("exit_seen", 0);
    }

    private static void live(String noted, int count) throws InterruptedException {
        ShadowActivityManager system = Shadows.shadowOf((ActivityManager)
                RuntimeEnvironment.getApplication().getSystemService(ActivityManager.class));
        String own = Application.getProcessName();
        StringBuilder trace = new StringBuilder("\"main\" prio=5\n");
        while (trace.length() < TRACE_SIZE) {
            trace.append("  at a.b.C.run(C.java:").append(trace.length()).append(")\n");
        }
        int anr = ApplicationExitInfo.REASON_ANR;
        system.addApplicationExitInfo(exit(own, OTHER_PID, anr, "not seen", 5000)
                .setTraceInputStream(new ByteArrayInputStream(trace.toString().getBytes(StandardCharsets.UTF_8)))
                .build());
        system.addApplicationExitInfo(exit(own, 1, ApplicationExitInfo.REASON_CRASH, "crash", 4000).build());
        system.addApplicationExitInfo(exit("another.process", 2, anr, "another's", 3000).build());
        system.addApplicationExitInfo(exit(own, 3, anr, "seen", 2000)
                .setProcessStateSummary(noted.getBytes(StandardCharsets.US_ASCII)).build());
        List<Monitors.Issue> issues = new CopyOnWriteArrayList<>();
        CountDownLatch told = new CountDownLatch(count);
        Monitors.listen(issue -> {
            issues.add(issue);
            told.countDown();
            if (count == 0) {
                fact("seen", seen());
                fact("issue", issue.json);
                Runtime.getRuntime().halt(DIED);
            }
        });
        for (int i = 0; i < 2; i++) { // the second time nothing is new
            fact("started", start());
            fact("in-time", told.await(2, TimeUnit.MINUTES));
            Thread.sleep(count == 0 ? DIE_MS : 500);
            Stage.onMain(Monitors::stop);
            fact("seen", seen());
        }
        for (Monitors.Issue issue : issues) {
            fact("issue", issue.json);
        }
    }
}
