package methodbeat;

import dalvik.annotation.optimization.CriticalNative;

/** The native probes for ART since Android 8, where such a call costs a tenth of a normal one. */
final class CriticalProbes {
    @CriticalNative
    static native void i(int id);

    @CriticalNative
    static native void o(int id);

    @CriticalNative
    static native void c(int id);

    private CriticalProbes() {}
}
