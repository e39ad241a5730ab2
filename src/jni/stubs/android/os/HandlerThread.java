package android.os;

/** Only for the compiler: the real one comes with Android. */
public class HandlerThread extends Thread {
    public HandlerThread(String name) {}

    public native Looper getLooper();

    public native boolean quitSafely();
}
