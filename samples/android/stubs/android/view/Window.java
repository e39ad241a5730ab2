package android.view;

public abstract class Window {
    public interface Callback {
        void onWindowFocusChanged(boolean hasFocus);
    }
}
