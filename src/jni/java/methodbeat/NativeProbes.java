package methodbeat;

import java.nio.ByteBuffer;

/** What libmethodbeat does, one to one. Registered by the library as it is loaded. */
final class NativeProbes {
    static native void i(int id);

    static native void o(int id);

    /** A message begins or ends: the coarse clock is exact now, and ticks or rests from now on. */
    static native void message(boolean begins);

    static native void at(String scene, boolean hasFocus);

    /** Begin as the first probe does, with settings "name=value"; false if there is to be none. */
    static native boolean begin(String[] settings, boolean mapped);

    static native boolean start(String[] settings, boolean mapped);

    static native void stop();

    static native boolean dump(String path);

    static native boolean isRecording();

    /** The calling thread is the main one. In the mapped flavour its ring is taken now. */
    static native boolean becomeMain(String name, boolean mapped);

    /** Changes whenever the memory below is another. */
    static native int session();

    /** Tables and main ring; null if there are none. */
    static native ByteBuffer memory();

    /** Where things are in it, in words: see Ring. */
    static native long[] layout();

    private NativeProbes() {}
}
