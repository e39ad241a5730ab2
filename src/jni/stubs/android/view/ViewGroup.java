package android.view;

import android.content.Context;

public abstract class ViewGroup extends View {
    public static class LayoutParams {
        public int width;
        public int height;
    }

    public ViewGroup(Context context) {
        super(context);
    }
}
