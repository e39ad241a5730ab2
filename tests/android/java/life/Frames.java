package life;

import android.app.Activity;
import android.view.FrameMetrics;
import org.robolectric.Shadows;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.shadows.FrameMetricsBuilder;
import stage.Stage;

/** Frames as the system reports them to whoever listens, from level 24 on. */
public final class Frames {
    private static final long MS = 1000000;
    private static final long INTERVAL_NS = 1000000000 / 60;
    private static final int LOST = 3;

    /** Is drawn in time. */
    public static class Smooth extends Activity {}

    /** Each frame takes six intervals. */
    public static class Jerky extends Activity {}

    static void draw() {
        ActivityController<Smooth> smooth = Stage.launch(Smooth.class, null);
        report(smooth.get(), 90, 1, 1, 1, 2);
        Stage.leave(smooth);
        Stage.finish(smooth);
        ActivityController<Jerky> jerky = Stage.launch(Jerky.class, null);
        reportJerky(jerky.get());
        Stage.leave(jerky);
        Told.await("FPS");
        reportJerky(jerky.get()); // nobody listens
        Stage.comeBack(jerky);
        Stage.leave(jerky);
        Stage.finish(jerky);
    }

    static void reportJerky(Activity activity) {
        report(activity, 20, 6, 20, 30, 40);
    }

    /**
     * The first of the window and so many more, each some intervals after the one before, when all of
     * them are over.
     */
    private static void report(Activity activity, int count, int intervals, int inputMs, int animationMs,
            int layoutMs) {
        long begin = System.nanoTime();
        Screens.sleep((count + 1) * intervals * INTERVAL_NS / MS + 20);
        for (int i = 0; i <= count; i++) {
            FrameMetricsBuilder frame = new FrameMetricsBuilder();
            long intended = begin + i * intervals * INTERVAL_NS;
            frame.setMetric(FrameMetrics.INTENDED_VSYNC_TIMESTAMP, intended);
            frame.setMetric(FrameMetrics.VSYNC_TIMESTAMP, intended);
            frame.setMetric(FrameMetrics.FIRST_DRAW_FRAME, i == 0 ? 1 : 0);
            frame.setMetric(FrameMetrics.UNKNOWN_DELAY_DURATION, MS);
            frame.setMetric(FrameMetrics.INPUT_HANDLING_DURATION, inputMs * MS);
            frame.setMetric(FrameMetrics.ANIMATION_DURATION, animationMs * MS);
            frame.setMetric(FrameMetrics.LAYOUT_MEASURE_DURATION, layoutMs * MS);
            frame.setMetric(FrameMetrics.DRAW_DURATION, MS);
            frame.setMetric(FrameMetrics.SYNC_DURATION, MS);
            frame.setMetric(FrameMetrics.COMMAND_ISSUE_DURATION, 2 * MS);
            frame.setMetric(FrameMetrics.SWAP_BUFFERS_DURATION, MS);
            frame.setMetric(FrameMetrics.TOTAL_DURATION, (6 + inputMs + animationMs + layoutMs) * MS);
            try {
                Shadows.shadowOf(activity.getWindow())
                        .reportOnFrameMetricsAvailable(frame.build(), i == 1 ? LOST : 0);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private Frames() {}
}
