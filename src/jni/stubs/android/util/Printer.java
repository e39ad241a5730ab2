package android.util;

/** Only for the compiler: the real one comes with Android. */
public interface Printer {
    void println(String line);
}
