package methodbeat;

import dalvik.annotation.optimization.CriticalNative;

/**
 * The native probes for ART since Android 8, where such a call costs a tenth of a normal one. ART
 * 8 to 16 wants of them what they are: static, not synchronized, primitive types only.
 */
final class CriticalProbes {
    @CriticalNative
    static native void i(int id);

    @CriticalNative
    static native void o(int id);

    @CriticalNative
    static native void c(int id);

    /** One more: if so, these are called as they want to be. */
    @CriticalNative
    static native int next(int number);

    private CriticalProbes() {}
}
