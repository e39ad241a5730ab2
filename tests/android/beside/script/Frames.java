package script;

import android.app.Activity;
import android.view.FrameMetrics;
import java.util.concurrent.locks.LockSupport;
import org.robolectric.shadows.FrameMetricsBuilder;
import org.robolectric.shadows.ShadowWindow;
import org.robolectric.Shadows;

/** Tells who listens of frames as the system does, each when it is done. */
final class Frames {
    private static final long PERIOD_NS = 16666667;
    private static final long SPAN_NS = 10100000000L; // a little more than a report is of

    private final ShadowWindow window;

    Frames(Activity activity) {
        window = Shadows.shadowOf(activity.getWindow());
    }

    /** each: so many a frame is dropped periods late, whoever counts; 0: none. */
    void draw(long lengthMs, int each, int dropped) throws Exception {
        long begin = System.nanoTime();
        int count = 0;
        for (long vsync = begin; vsync - begin < SPAN_NS; vsync += PERIOD_NS) {
            count++;
            long late = each > 0 && count % each == 0 ? dropped * PERIOD_NS : 0;
            long length = lengthMs * 1000000 + late;
            await(vsync + length);
            window.reportOnFrameMetricsAvailable(frame(vsync, length, late));
            vsync += late;
        }
        System.out.println("FACT frames " + count + " " + (System.nanoTime() - begin));
    }

    /** The main thread and the one that draws share it; it is the main thread's that is late. */
    private static FrameMetrics frame(long vsync, long length, long late) throws Exception {
        long drawing = (length - late) / 2;
        return new FrameMetricsBuilder()
                .setMetric(FrameMetrics.TOTAL_DURATION, length)
                .setMetric(FrameMetrics.DRAW_DURATION, length - drawing)
                .setMetric(FrameMetrics.COMMAND_ISSUE_DURATION, drawing)
                .setMetric(FrameMetrics.INTENDED_VSYNC_TIMESTAMP, vsync)
                .setMetric(FrameMetrics.VSYNC_TIMESTAMP, vsync)
                .setMetric(FrameMetrics.DEADLINE, PERIOD_NS)
                .build();
    }

    private static void await(long ns) {
        for (long left = ns - System.nanoTime(); left > 0; left = ns - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
