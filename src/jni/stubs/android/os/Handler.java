package android.os;

/** Only for the compiler: the real one comes with Android. */
public class Handler {
    public Handler(Looper looper) {}

    public final native boolean post(Runnable task);

    public final native boolean postAtFrontOfQueue(Runnable task);
}
