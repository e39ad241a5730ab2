package android.graphics;

public class Canvas {
    public native void drawRect(float left, float top, float right, float bottom, Paint paint);
    public native void drawText(String text, float x, float y, Paint paint);
}
