package android.graphics;

/** Only for the compiler: the real one comes with Android. */
public class PixelFormat {
    public static final int TRANSLUCENT = -3;
}
