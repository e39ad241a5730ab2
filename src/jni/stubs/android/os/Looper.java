package android.os;

import android.util.Printer;

/** Only for the compiler: the real one comes with Android. */
public final class Looper {
    public static native Looper getMainLooper();

    public static native Looper myLooper();

    public static native MessageQueue myQueue();

    public native void setMessageLogging(Printer printer);
}
