package script;

import android.app.Activity;
import android.os.Build;
import android.view.Choreographer;
import android.view.FrameMetrics;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.robolectric.Shadows;
import org.robolectric.shadows.FrameMetricsBuilder;
import org.robolectric.shadows.ShadowChoreographer;
import org.robolectric.shadows.ShadowWindow;
import stage.Stage;

/**
 * Draws: the main thread works at each vsync of its Choreographer, another one goes on, and who listens is told of
 * the frame as the system does when it is done.
 */
final class Frames {
    private static final long PERIOD_NS = 16666667;
    private static final long SPAN_NS = 10400000000L; // a little more than a report is of

    private final ShadowWindow window;

    Frames(Activity activity) {
        window = Shadows.shadowOf(activity.getWindow());
    }

    /** each: so many a frame is dropped periods late, whoever counts; 0: none. Gives the frames a second. */
    double draw(long lengthMs, int each, int dropped) {
        Duration delay = ShadowChoreographer.getFrameDelay();
        Drawing drawing = new Drawing(lengthMs * 1000000, each, dropped);
        ShadowChoreographer.setPaused(true); // a vsync comes by the clock
        Stage.onMain(() -> Choreographer.getInstance().postFrameCallback(drawing));
        double speed = drawing.await();
        ShadowChoreographer.setPaused(false);
        ShadowChoreographer.setFrameDelay(delay);
        return speed;
    }

    private final class Drawing implements Choreographer.FrameCallback {
        private final ScheduledExecutorService renderer = Executors.newSingleThreadScheduledExecutor();
        private final CountDownLatch done = new CountDownLatch(1);
        private final long lengthNs;
        private final int each;
        private final int dropped;
        private long begin;
        private long vsync;
        private int count;

        Drawing(long lengthNs, int each, int dropped) {
            this.lengthNs = lengthNs;
            this.each = each;
            this.dropped = dropped;
        }

        @Override
        public void doFrame(long frameTimeNanos) {
            long now = System.nanoTime();
            begin = begin == 0 ? now : begin;
            vsync = vsync == 0 ? now : vsync;
            while (vsync + PERIOD_NS <= now) { // the machine was busy
                vsync += PERIOD_NS;
            }
            if (vsync - begin >= SPAN_NS) {
                done.countDown();
                return;
            }
            work();
        }

        /** One frame; it is the main thread's part that is late. */
        private void work() {
            count++;
            long late = each > 0 && count % each == 0 ? dropped * PERIOD_NS : 0;
            long own = late + lengthNs / 2;
            long rest = lengthNs - lengthNs / 2;
            FrameMetrics frame = frame(vsync, own, rest);
            askFor(vsync + PERIOD_NS + late);
            sleepUntil(vsync + own);
            renderer.schedule(() -> window.reportOnFrameMetricsAvailable(frame), rest, TimeUnit.NANOSECONDS);
            vsync += PERIOD_NS + late;
        }

        /** A vsync comes so long after it is asked for. */
        private void askFor(long next) {
            ShadowChoreographer.setFrameDelay(Duration.ofNanos(next - System.nanoTime()));
            Choreographer.getInstance().postFrameCallback(this);
        }

        double await() {
            try {
                if (!done.await(2, TimeUnit.MINUTES)) {
                    throw new AssertionError("no frames");
                }
                renderer.shutdown();
                renderer.awaitTermination(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return count * 1e9 / (vsync - begin);
        }
    }

    private static FrameMetrics frame(long vsync, long own, long rest) {
        try {
            FrameMetricsBuilder frame = new FrameMetricsBuilder()
                    .setMetric(FrameMetrics.TOTAL_DURATION, own + rest)
                    .setMetric(FrameMetrics.DRAW_DURATION, own)
                    .setMetric(FrameMetrics.COMMAND_ISSUE_DURATION, rest)
                    .setMetric(FrameMetrics.INTENDED_VSYNC_TIMESTAMP, vsync)
                    .setMetric(FrameMetrics.VSYNC_TIMESTAMP, vsync);
            if (Build.VERSION.SDK_INT >= 31) {
                frame.setMetric(FrameMetrics.DEADLINE, PERIOD_NS);
            }
            return frame.build();
        } catch (Exception e) { // as it says itself
            throw new AssertionError(e);
        }
    }

    private static void sleepUntil(long ns) {
        for (long left = ns - System.nanoTime(); left > 0; left = ns - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
