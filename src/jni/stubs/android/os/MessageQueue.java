package android.os;

public final class MessageQueue {
    public interface IdleHandler {
        boolean queueIdle();
    }

    public native void addIdleHandler(IdleHandler handler);
    public native void removeIdleHandler(IdleHandler handler);
}
