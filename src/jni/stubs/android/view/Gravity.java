package android.view;

/** Only for the compiler: the real one comes with Android. */
public class Gravity {
    public static final int TOP = 48;
    public static final int END = 8388613;
}
