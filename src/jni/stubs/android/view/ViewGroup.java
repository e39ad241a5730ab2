package android.view;

import android.content.Context;

/** Only for the compiler: the real one comes with Android. */
public abstract class ViewGroup extends View {
    public static class LayoutParams {
        public int width;
        public int height;
    }

    public ViewGroup(Context context) {
        super(context);
    }
}
