package android.graphics;

public class Paint {
    public native void setColor(int colour);
    public native void setTextSize(float size);
}
