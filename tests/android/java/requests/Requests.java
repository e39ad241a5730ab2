package requests;

import android.os.Handler;
import android.os.Looper;
import android.view.Choreographer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import methodbeat.MethodBeat;
import methodbeat.Monitors;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.LooperMode;
import stage.Stage;

/** Messages of four kinds: FACT kind begin length cause, and the issues. */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
public class Requests {
    private static final int COUNT = 400;
    private static final int SLOW = 25; // one of that number

    @Test
    public void tell() throws Exception {
        List<Monitors.Issue> issues = new CopyOnWriteArrayList<>();
        Monitors.listen(issues::add);
        Handler clicks = new Shop.Clicks();
        Handler tasks = new Handler(Looper.getMainLooper());
        for (int i = 1; i <= COUNT; i++) {
            int isSlow = i % SLOW == 0 ? 1 : 0;
            if (isSlow == 1) {
                Shop.refreshPrices();
            }
            clicks.sendMessage(clicks.obtainMessage(Shop.ORDER, isSlow, 0));
            Stage.settle();
            clicks.sendMessage(clicks.obtainMessage(Shop.USER, isSlow, 0));
            tasks.post(new Shop.Sync(isSlow == 1));
            Stage.settle();
        }
        CountDownLatch drawn = new CountDownLatch(1);
        Shop.Drawing drawing = new Shop.Drawing(COUNT, drawn::countDown);
        Stage.onMain(() -> Choreographer.getInstance().postFrameCallback(drawing));
        fact("drawn", drawn.await(1, TimeUnit.MINUTES));
        Stage.settle();
        Monitors.stop(); // waits until all is told
        MethodBeat.stop();
        for (String told : Shop.TOLD) {
            System.out.println("FACT " + told);
        }
        for (Monitors.Issue issue : issues) {
            fact("issue", issue.json);
        }
    }

    private static void fact(String name, Object value) {
        System.out.println("FACT " + name + " " + value);
    }
}
