package android.view;

public final class Choreographer {
    public static native Choreographer getInstance();
}
