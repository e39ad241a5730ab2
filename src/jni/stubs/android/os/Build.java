package android.os;

/** Only for the compiler: the real one comes with Android. */
public class Build {
    public static class VERSION {
        public static final int SDK_INT = Integer.parseInt("0"); // no constant
    }
}
