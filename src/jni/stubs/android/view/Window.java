package android.view;

import android.os.Handler;

public abstract class Window {
    public interface OnFrameMetricsAvailableListener {
        void onFrameMetricsAvailable(Window window, FrameMetrics frame, int dropped);
    }

    public abstract View getDecorView();
    public abstract View peekDecorView();
    public final native void addOnFrameMetricsAvailableListener(
            OnFrameMetricsAvailableListener listener, Handler handler);
    public final native void removeOnFrameMetricsAvailableListener(
            OnFrameMetricsAvailableListener listener);
}
