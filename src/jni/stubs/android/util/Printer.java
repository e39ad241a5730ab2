package android.util;

public interface Printer {
    void println(String line);
}
