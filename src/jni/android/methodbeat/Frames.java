package methodbeat;

import android.app.Activity;
import android.view.Display;

/** Tells of the frames of windows. Methods are called on the main thread. */
interface Frames {
    /** Where NativeMonitors.frame has what; the stages follow one another. */
    int INTENDED = 0;
    int VSYNC = 1;
    int TOTAL = 2;
    int DEADLINE = 3;
    int INTERVAL = 4;
    int FLAGS = 5;
    int LOST = 6;
    int DELAY = 7;
    int INPUT = 8;
    int ANIMATION = 9;
    int LAYOUT = 10;
    int DRAW = 11;
    int GPU = 15;
    int SIZE = 16;

    /** The flag of the first frame of a window. */
    int FIRST_DRAW = 1;

    /** Its window is there. */
    void add(Activity activity);

    void remove(Activity activity);

    void stop();

    /** Between two frames of a display, which may change; it is asked once a second. Of one thread. */
    final class Interval {
        private static final long SECOND_NS = 1000000000L;

        private final Display display;
        private long intervalNs;
        private long askedNs;

        Interval(Display display) {
            this.display = display;
        }

        long at(long now) {
            if (intervalNs == 0 || now - askedNs >= SECOND_NS) {
                askedNs = now;
                float rate = display.getRefreshRate();
                intervalNs = rate > 0 ? (long) (SECOND_NS / rate) : 0;
            }
            return intervalNs;
        }
    }
}
