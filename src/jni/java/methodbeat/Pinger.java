package methodbeat;

/** A loop that can be asked for a sign of life. */
interface Pinger {
    /** Have NativeMonitors.pong(request) run on the loop soon. */
    void ping(int request);
}
