package android.view;

import android.content.Context;

/** Is attached by the first frame, as Android's. */
public class View {
    public interface OnAttachStateChangeListener {
        void onViewAttachedToWindow(View view);
    }

    private final ViewTreeObserver observer;
    private OnAttachStateChangeListener waiting;

    public View(Context context) {
        observer = new ViewTreeObserver(context);
    }

    public ViewTreeObserver getViewTreeObserver() {
        return observer;
    }

    public boolean isAttachedToWindow() {
        return false;
    }

    public void addOnAttachStateChangeListener(OnAttachStateChangeListener listener) {
        waiting = listener;
    }

    public void removeOnAttachStateChangeListener(OnAttachStateChangeListener listener) {
        waiting = null;
    }

    void draw() {
        if (waiting != null) {
            waiting.onViewAttachedToWindow(this);
        }
        observer.dispatchOnDraw();
    }
}
