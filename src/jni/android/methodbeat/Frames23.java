package methodbeat;

import android.app.Activity;
import android.view.Choreographer;
import java.lang.reflect.Field;

/**
 * From what the main thread's Choreographer keeps of its last frame: when it was wanted, and when each
 * of its stages began. That is not part of its interface; the levels where it is read have no reports of
 * frames and do not forbid it, and where it is missing, frames are not reported. Nothing is called and
 * nothing posted: it is read at the end of the message that drew the frame. Loaded below level 24 only.
 */
final class Frames23 implements Frames, Runnable {
    /** Where the Choreographer has what. */
    private static final int HAS_FLAGS = 0;
    private static final int HAS_INTENDED = 1;
    private static final int HAS_VSYNC = 2;
    private static final int HAS_INPUT = 5;
    private static final int HAS_ANIMATION = 6;
    private static final int HAS_TRAVERSAL = 7;
    private static final int HAS_DRAW = 8;

    private final MainLoop loop;
    private final long[] times; // the Choreographer's own; or null
    private final long[] values = new long[SIZE];
    private final long sinceNs = System.nanoTime();
    private Interval interval;

    Frames23(MainLoop loop) {
        this.loop = loop;
        times = findTimes();
    }

    @Override
    public void add(Activity activity) {
        if (times != null) {
            interval = new Interval(activity.getWindowManager().getDefaultDisplay());
            values[INTENDED] = times[HAS_INTENDED]; // of before
            loop.afterFrame(this);
        }
    }

    @Override
    public void remove(Activity activity) {}

    @Override
    public void stop() {
        loop.afterFrame(null);
    }

    /**
     * Called after a message; it drew a frame if the last frame has changed. One that began before this
     * object was made is ignored: its start was not watched, or its times are of another clock.
     */
    @Override
    public void run() {
        try {
            if (times[HAS_INTENDED] == values[INTENDED]) {
                return;
            }
            read(System.nanoTime());
            if (values[INTENDED] >= sinceNs) {
                NativeMonitors.frame(values);
            }
        } catch (Throwable e) { // the message is the app's
            Log.say("a frame is not reported", e);
        }
    }

    private void read(long now) {
        boolean isDrawn = times[HAS_DRAW] >= times[HAS_TRAVERSAL]; // else of a frame before
        long layoutEnd = isDrawn ? times[HAS_DRAW] : now;
        values[INTENDED] = times[HAS_INTENDED];
        values[VSYNC] = times[HAS_VSYNC];
        values[TOTAL] = now - times[HAS_INTENDED];
        values[INTERVAL] = interval.at(now);
        values[FLAGS] = times[HAS_FLAGS] & FIRST_DRAW;
        values[DELAY] = times[HAS_INPUT] - times[HAS_INTENDED];
        values[INPUT] = times[HAS_ANIMATION] - times[HAS_INPUT];
        values[ANIMATION] = times[HAS_TRAVERSAL] - times[HAS_ANIMATION];
        values[LAYOUT] = layoutEnd - times[HAS_TRAVERSAL];
        values[DRAW] = now - layoutEnd;
    }

    private static long[] findTimes() {
        try {
            Object info = get(Choreographer.getInstance(), "mFrameInfo");
            long[] times = (long[]) get(info, "mFrameInfo");
            return times.length > HAS_DRAW ? times : null;
        } catch (ReflectiveOperationException | RuntimeException e) {
            Log.say("frames are not watched", e);
            return null;
        }
    }

    private static Object get(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}
