package android.os;

/** Only for the compiler: the real one comes with Android. */
public final class MessageQueue {
    public interface IdleHandler {
        boolean queueIdle();
    }

    public native void addIdleHandler(IdleHandler handler);

    public native void removeIdleHandler(IdleHandler handler);
}
