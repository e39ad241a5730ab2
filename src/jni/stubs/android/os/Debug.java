package android.os;

import java.io.IOException;

public final class Debug {
    public static native void attachJvmtiAgent(String library, String options, ClassLoader loader)
            throws IOException;
}
