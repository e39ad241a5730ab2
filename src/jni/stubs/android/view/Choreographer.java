package android.view;

/** Only for the compiler: the real one comes with Android. */
public final class Choreographer {
    public static native Choreographer getInstance();
}
