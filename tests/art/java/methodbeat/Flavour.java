package methodbeat;

/** Says how probes are recorded, which is nobody else's business. */
public final class Flavour {
    public static String get() {
        if (!Library.LOADED) {
            return "none";
        }
        return Library.IS_MAPPED ? "mapped" : Library.IS_CRITICAL ? "critical" : "native";
    }

    private Flavour() {}
}
