package android.content.pm;

/** Only for the compiler: the real one comes with Android. */
public class ApplicationInfo {
    public static final int FLAG_DEBUGGABLE = 2;

    public int flags;
}
