package android.os;

import android.util.Printer;

public final class Looper {
    public static native Looper getMainLooper();
    public static native Looper myLooper();
    public static native MessageQueue myQueue();
    public native void setMessageLogging(Printer printer);
}
