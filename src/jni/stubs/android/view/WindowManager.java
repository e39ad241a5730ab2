package android.view;

import android.os.IBinder;

public interface WindowManager extends ViewManager {
    class LayoutParams extends ViewGroup.LayoutParams {
        public static final int TYPE_APPLICATION_PANEL = 1000;
        public static final int FLAG_NOT_FOCUSABLE = 8;
        public static final int FLAG_NOT_TOUCHABLE = 16;
        public int format;
        public int gravity;
        public IBinder token;
        public LayoutParams(int type, int flags) {}
    }

    Display getDefaultDisplay();
    void removeViewImmediate(View view);
}
