package methodbeat;

/** No probes: what is left is the loop. */
public final class MethodBeat {
    public static void i(int id) {}

    public static void o(int id) {}

    private MethodBeat() {}
}
