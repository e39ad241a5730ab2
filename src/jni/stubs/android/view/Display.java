package android.view;

/** Only for the compiler: the real one comes with Android. */
public final class Display {
    public native float getRefreshRate();
}
