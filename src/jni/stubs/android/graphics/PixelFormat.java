package android.graphics;

public class PixelFormat {
    public static final int TRANSLUCENT = -3;
}
