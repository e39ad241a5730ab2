package methodbeat;

import android.app.Activity;
import android.os.Handler;
import android.os.HandlerThread;
import android.view.Display;
import android.view.FrameMetrics;
import android.view.Window;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * As the system reports them for each window, on the library's thread. Loaded from level 24 on. After level
 * 31, up to 36, one value was added: the frame's number in the display's plan, which is not needed here.
 */
final class Frames24 implements Frames {
    private static final int[] STAGES = {
        FrameMetrics.UNKNOWN_DELAY_DURATION, FrameMetrics.INPUT_HANDLING_DURATION,
        FrameMetrics.ANIMATION_DURATION, FrameMetrics.LAYOUT_MEASURE_DURATION,
        FrameMetrics.DRAW_DURATION, FrameMetrics.SYNC_DURATION,
        FrameMetrics.COMMAND_ISSUE_DURATION, FrameMetrics.SWAP_BUFFERS_DURATION,
    };

    private final HandlerThread thread = new HandlerThread("methodbeat-frames");
    private final Handler handler;
    private final Map<Activity, Listener> listeners = new WeakHashMap<>();

    Frames24() {
        thread.start();
        handler = new Handler(thread.getLooper());
    }

    @Override
    public void add(Activity activity) {
        if (!listeners.containsKey(activity)) {
            Listener listener = new Listener(activity.getWindowManager().getDefaultDisplay());
            activity.getWindow().addOnFrameMetricsAvailableListener(listener, handler);
            listeners.put(activity, listener);
        }
    }

    @Override
    public void remove(Activity activity) {
        Listener listener = listeners.remove(activity);
        if (listener != null) {
            try {
                activity.getWindow().removeOnFrameMetricsAvailableListener(listener);
            } catch (RuntimeException e) {
                // the window has gone, and its listeners with it
            }
        }
    }

    @Override
    public void stop() {
        thread.quitSafely();
    }

    /** Of one window; used by the thread of the frames. */
    private static final class Listener implements Window.OnFrameMetricsAvailableListener {
        private final Interval interval;
        private final long[] values = new long[SIZE];

        Listener(Display display) {
            interval = new Interval(display);
        }

        @Override
        public void onFrameMetricsAvailable(Window window, FrameMetrics frame, int dropped) {
            try {
                long now = System.nanoTime();
                read(frame, now);
                values[LOST] = dropped;
                NativeMonitors.frame(values);
            } catch (Throwable e) {
                Log.say("a frame is not reported", e);
            }
        }

        /** In the order that NativeMonitors.frame wants. */
        private void read(FrameMetrics frame, long now) {
            long total = frame.getMetric(FrameMetrics.TOTAL_DURATION);
            boolean hasTimes = AndroidMonitors.isLevel(26);
            boolean hasDeadline = AndroidMonitors.isLevel(31);
            values[INTENDED] = hasTimes ? Times26.intended(frame) : now - total;
            values[VSYNC] = hasTimes ? Times26.actual(frame) : 0;
            values[TOTAL] = total;
            values[DEADLINE] = hasDeadline ? Deadline31.of(frame) : 0;
            values[INTERVAL] = interval.at(now);
            values[FLAGS] = frame.getMetric(FrameMetrics.FIRST_DRAW_FRAME) == 1 ? FIRST_DRAW : 0;
            for (int stage = 0; stage < STAGES.length; stage++) {
                values[DELAY + stage] = frame.getMetric(STAGES[stage]);
            }
            values[GPU] = hasDeadline ? Deadline31.gpu(frame) : 0;
        }
    }

    /** Loaded from its level on. */
    private static final class Times26 {
        static long intended(FrameMetrics frame) {
            return frame.getMetric(FrameMetrics.INTENDED_VSYNC_TIMESTAMP);
        }

        static long actual(FrameMetrics frame) {
            return frame.getMetric(FrameMetrics.VSYNC_TIMESTAMP);
        }
    }

    /** Loaded from its level on. */
    private static final class Deadline31 {
        static long of(FrameMetrics frame) {
            return frame.getMetric(FrameMetrics.DEADLINE);
        }

        static long gpu(FrameMetrics frame) {
            return frame.getMetric(FrameMetrics.GPU_DURATION);
        }
    }
}
