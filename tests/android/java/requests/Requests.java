package requests;

import android.view.Choreographer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.LooperMode;
import stage.Stage;

/** Messages of four kinds. */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
public class Requests {
    private static final int SLOW = 25; // one frame of that number

    @Test
    public void tell() throws Exception {
        Shop.send(Stage::settle);
        CountDownLatch drawn = new CountDownLatch(1);
        Shop.Drawing drawing = new Shop.Drawing(Shop.COUNT, SLOW, drawn::countDown);
        Stage.onMain(() -> Choreographer.getInstance().postFrameCallback(drawing));
        System.out.println("FACT drawn " + drawn.await(1, TimeUnit.MINUTES));
        Stage.settle();
        Shop.leave();
    }
}
