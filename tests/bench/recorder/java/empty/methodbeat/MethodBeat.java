package methodbeat;

/** Native probes with nothing behind them. */
public final class MethodBeat {
    static {
        System.load(System.getProperty("bench.library"));
    }

    public static native void i(int id);

    public static native void o(int id);

    private MethodBeat() {}
}
