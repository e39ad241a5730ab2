package android.os;

/** Only for the compiler: the real one comes with Android. */
public final class Bundle {}
