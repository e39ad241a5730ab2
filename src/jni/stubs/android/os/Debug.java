package android.os;

import java.io.IOException;

/** Only for the compiler: the real one comes with Android. */
public final class Debug {
    public static native void attachJvmtiAgent(String library, String options, ClassLoader loader)
            throws IOException;
}
