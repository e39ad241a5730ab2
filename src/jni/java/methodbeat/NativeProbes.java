package methodbeat;

import java.nio.ByteBuffer;

/** What libmethodbeat does, one to one. Registered by the library as it is loaded. */
final class NativeProbes {
    /** Of this list of methods: see Library. */
    static native int version();

    /** True, and not recorded, before the calling thread told its name. */
    static native boolean i(int id);

    static native boolean o(int id);

    static native void c(int id);

    /** The calling thread's next record is of a method that is timed. */
    static native void time(int id);

    /** Of the calling thread. */
    static native void name(String name);

    /** A probe of a virtual thread without a lane. */
    static native void pass();

    /** A new lane under that name: see Lane. 0 if all are taken. */
    static native long lane(String name);

    /** Its calls ended with its last record. */
    static native void endLane(long lane);

    /** The probes of the lane's owner; false if its recording is over. */
    static native boolean iLane(long lane, int id);

    static native boolean oLane(long lane, int id);

    static native boolean cLane(long lane, int id);

    /** From now on the library puts 1 where the method of that id is muted, for good, 2 where it is timed. */
    static native void takeMuteTable(byte[] table);

    /** Begin as the first probe does, with settings "name=value"; false if there is to be none. */
    static native boolean begin(String[] settings, boolean mapped);

    static native boolean start(String[] settings, boolean mapped);

    static native void stop();

    static native boolean dump(String path);

    static native boolean isRecording();

    /** The calling thread is the main one. */
    static native void becomeMain();

    /** Not only the main thread is recorded. */
    static native boolean recordsOthers();

    /** The number of the present session, an int; odd while it is recorded. */
    static native ByteBuffer session();

    /** Memory with the calling thread's ring, which lies where place then says; null without one. */
    static native ByteBuffer ring(long[] place);

    /** Half a ring is full. */
    static native void beginHalf();

    /** Memory of 256 words, for Cost. */
    static native ByteBuffer scratch();

    /** A record costs so much; false once that is not as slow as at first. */
    static native boolean cost(int recordNs);

    private NativeProbes() {}
}
