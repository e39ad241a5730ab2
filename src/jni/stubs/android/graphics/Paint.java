package android.graphics;

/** Only for the compiler: the real one comes with Android. */
public class Paint {
    public native void setColor(int colour);

    public native void setTextSize(float size);
}
