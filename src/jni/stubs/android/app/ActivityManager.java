package android.app;

/** Only for the compiler: the real one comes with Android. */
public class ActivityManager {
    public static class RunningAppProcessInfo {
        public static final int IMPORTANCE_FOREGROUND = 100;
        public int importance;
    }

    public static native void getMyMemoryState(RunningAppProcessInfo info);
}
