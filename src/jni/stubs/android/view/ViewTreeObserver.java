package android.view;

public final class ViewTreeObserver {
    public interface OnWindowFocusChangeListener {
        void onWindowFocusChanged(boolean hasFocus);
    }

    public interface OnDrawListener {
        void onDraw();
    }

    public native boolean isAlive();
    public native void addOnWindowFocusChangeListener(OnWindowFocusChangeListener listener);
    public native void removeOnWindowFocusChangeListener(OnWindowFocusChangeListener listener);
    public native void addOnDrawListener(OnDrawListener listener);
    public native void removeOnDrawListener(OnDrawListener listener);
}
