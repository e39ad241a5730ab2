package android.os;

/** Only for the compiler: the real one comes with Android. */
public interface IBinder {}
