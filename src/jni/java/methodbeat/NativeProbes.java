package methodbeat;

import java.nio.ByteBuffer;

/** What libmethodbeat does, one to one. Registered by the library as it is loaded. */
final class NativeProbes {
    /** Of this list of methods: see Library. */
    static native int version();

    static native void i(int id);

    static native void o(int id);

    static native void c(int id);

    /** The same for threads other than main; true, and not recorded, before the thread told its name. */
    static native boolean iElsewhere(int id);

    static native boolean oElsewhere(int id);

    /** Of the calling thread. */
    static native void name(String name);

    /** A probe of a virtual thread without a lane. */
    static native void pass();

    /** A new lane under that name: see Lane. 0 if all are taken. */
    static native long lane(String name);

    /** Its calls ended with its last record. */
    static native void endLane(long lane);

    /** The probes of whoever has the lane; false if its recording is over. */
    static native boolean iLane(long lane, int id);

    static native boolean oLane(long lane, int id);

    static native boolean cLane(long lane, int id);

    /** A message begins or ends: the coarse clock is exact now, and ticks or rests from now on. */
    static native void message(boolean begins);

    static native void at(String scene, boolean hasFocus);

    /** From now on the library puts 1 where the method of that id is muted, for good. */
    static native void takeMuteTable(byte[] table);

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

    /** Tables and main ring; null without a session. */
    static native ByteBuffer memory();

    /** Where things are in it, in words: see Ring. */
    static native long[] layout();

    private NativeProbes() {}
}
