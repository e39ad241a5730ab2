package android.app;

/** Only for the compiler: the real one comes with Android. */
public class Activity {}
