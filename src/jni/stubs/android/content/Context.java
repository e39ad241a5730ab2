package android.content;

/** Only for the compiler: the real one comes with Android. */
public abstract class Context {}
