package android.view;

public final class Display {
    public native float getRefreshRate();
}
