import android.os.Handler;
import android.os.Looper;
import android.os.Message;
import java.util.concurrent.CountDownLatch;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.LooperMode;

/** Messages that throw through the framework's own Looper, into a loop that goes on as some apps do. */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
public class Looping {
    private static final int ROUNDS = 50;

    private static long sum;

    private static void leaf() {
        sum += System.nanoTime() & 1;
    }

    private static void work(int units) {
        for (int i = 0; i < units; i++) {
            leaf();
        }
    }

    private static void fail() {
        work(10);
        throw new AssertionError("as it should"); // an Exception would end Robolectric's thread
    }

    static final class Worker extends Handler {
        Worker(Looper looper) {
            super(looper);
        }

        @Override
        public void handleMessage(Message message) {
            work(7);
            if (message.what == 1) {
                fail();
            }
            work(30);
        }
    }

    static final class Loops extends Thread {
        final CountDownLatch hasBegun = new CountDownLatch(1);
        Looper looper;
        int caught;

        @Override
        public void run() {
            Looper.prepare();
            looper = Looper.myLooper();
            hasBegun.countDown();
            while (!loop()) {
                continue;
            }
        }

        private boolean loop() {
            try {
                Looper.loop();
                return true;
            } catch (AssertionError e) {
                caught++;
                work(9);
                return false;
            }
        }
    }

    @Test
    public void goesOn() throws Exception {
        Loops loops = new Loops();
        loops.start();
        loops.hasBegun.await();
        Handler worker = new Worker(loops.looper);
        for (int i = 0; i < ROUNDS; i++) {
            worker.sendEmptyMessage(1);
            worker.post(() -> work(20));
            worker.post(Looping::fail);
            worker.sendEmptyMessage(2);
        }
        worker.post(() -> loops.looper.quit());
        loops.join();
        System.out.println("FACT caught " + loops.caught);
    }
}
