package android.util;

/** Only for the compiler: the real one comes with Android. */
public class DisplayMetrics {
    public float density;
}
