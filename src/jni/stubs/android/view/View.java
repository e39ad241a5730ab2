package android.view;

import android.content.Context;
import android.graphics.Canvas;
import android.os.IBinder;

public class View {
    public interface OnAttachStateChangeListener {
        void onViewAttachedToWindow(View view);
        void onViewDetachedFromWindow(View view);
    }

    public View(Context context) {}

    public native void addOnAttachStateChangeListener(OnAttachStateChangeListener listener);
    protected native void onDraw(Canvas canvas);
    public final native int getHeight();
    public native ViewTreeObserver getViewTreeObserver();
    public final native int getWidth();
    public native IBinder getWindowToken();
    public native void invalidate();
    public native boolean isAttachedToWindow();
    public native boolean postDelayed(Runnable task, long delay);
    public native boolean removeCallbacks(Runnable task);
    public native void removeOnAttachStateChangeListener(OnAttachStateChangeListener listener);
}
