package android.view;

import android.os.Handler;

/** Is drawn by frames of the Choreographer's, of which it tells its one listener. */
public final class Window {
    public interface OnFrameMetricsAvailableListener {
        void onFrameMetricsAvailable(Window window, FrameMetrics frame, int dropped);
    }

    private static final int FROM_CHOREOGRAPHER = 9; // times of a frame; the others are of what is not here

    private final View decor;
    private OnFrameMetricsAvailableListener listener;
    private Handler handler;

    public Window(View decor) {
        this.decor = decor;
    }

    public View getDecorView() {
        return decor;
    }

    public View peekDecorView() {
        return decor;
    }

    public void addOnFrameMetricsAvailableListener(OnFrameMetricsAvailableListener listener, Handler handler) {
        this.listener = listener;
        this.handler = handler;
    }

    public void removeOnFrameMetricsAvailableListener(OnFrameMetricsAvailableListener listener) {
        this.listener = null;
    }

    public void focus(boolean hasFocus) {
        decor.getViewTreeObserver().dispatchOnWindowFocusChange(hasFocus);
    }

    /** In the next frame: layout comes first, next when it is drawn. */
    public void draw(Runnable layout, Runnable next) {
        Choreographer choreographer = Choreographer.getInstance();
        choreographer.postCallback(Choreographer.CALLBACK_TRAVERSAL, () -> {
            layout.run();
            choreographer.mFrameInfo.markDrawStart();
            decor.draw();
            report(choreographer.mFrameInfo.frameInfo);
            next.run();
        }, null);
    }

    private void report(long[] times) {
        FrameMetrics frame = new FrameMetrics();
        OnFrameMetricsAvailableListener told = listener;
        java.util.Arrays.fill(frame.mTimingData, System.nanoTime());
        System.arraycopy(times, 0, frame.mTimingData, 0, FROM_CHOREOGRAPHER);
        if (told != null) {
            handler.post(() -> told.onFrameMetricsAvailable(this, frame, 0));
        }
    }
}
