package life;

import android.app.Activity;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import android.view.Choreographer;
import java.util.concurrent.CountDownLatch;
import org.robolectric.android.controller.ActivityController;
import stage.Stage;

/**
 * Frames of the real Choreographer, whose callbacks take their time. The framework's clock stands still
 * here, so it is set by the machine's after each of them.
 */
public final class Stages {
    private static final int FRAMES = 20;
    private static final int INPUT = 0;
    private static final int ANIMATION = 1;
    private static final int TRAVERSAL = 2;

    /** Each frame takes 90 ms. */
    public static class Jerky extends Activity {}

    /** The framework's clock is far behind the machine's, by which the monitors watch. */
    public static class Early extends Activity {}

    static void draw() {
        drawEarly();
        ActivityController<Jerky> jerky = Stage.launch(Jerky.class, null);
        for (int i = 0; i < FRAMES; i++) {
            drawOne();
        }
        Stage.leave(jerky);
        Told.await("FPS");
        Stage.finish(jerky);
    }

    /** Nobody can know how long these frames took: of their times some are of one clock, some of another. */
    private static void drawEarly() {
        ActivityController<Early> early = Stage.launch(Early.class, null);
        for (int i = 0; i < FRAMES; i++) {
            CountDownLatch done = new CountDownLatch(1);
            Stage.onMain(() -> {
                SystemClock.setCurrentTimeMillis(SystemClock.uptimeMillis() + 20);
                Choreographer.getInstance().postCallback(TRAVERSAL, done::countDown, null);
            });
            await(done);
        }
        Stage.leave(early);
        Stage.finish(early);
    }

    private static void await(CountDownLatch done) {
        try {
            done.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void tick() {
        SystemClock.setCurrentTimeMillis(System.nanoTime() / 1000000);
    }

    /** Times of its stages, and what the last one took until the message after it, at most. */
    private static void drawOne() {
        long[] took = new long[4];
        CountDownLatch done = new CountDownLatch(1);
        Stage.onMain(() -> {
            Choreographer choreographer = Choreographer.getInstance();
            tick();
            choreographer.postCallback(INPUT, () -> took[0] = stage(20), null);
            choreographer.postCallback(ANIMATION, () -> took[1] = stage(30), null);
            choreographer.postCallback(TRAVERSAL, () -> {
                long begin = SystemClock.uptimeMillis();
                took[2] = stage(40);
                new Handler(Looper.getMainLooper()).postAtFrontOfQueue(() -> {
                    took[3] = System.nanoTime() / 1000000 + 1 - begin;
                    done.countDown();
                });
            }, null);
        });
        await(done);
        Told.fact("stages", took[0] + " " + took[1] + " " + took[2] + " " + took[3]);
    }

    /** How long it was, by the framework's clock, in ms. */
    private static long stage(long ms) {
        long begin = SystemClock.uptimeMillis();
        Screens.sleep(ms);
        tick();
        return SystemClock.uptimeMillis() - begin;
    }

    private Stages() {}
}
