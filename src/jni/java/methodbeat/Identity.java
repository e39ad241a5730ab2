package methodbeat;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Whose files they are, as the setting app has it: KEY=VALUE, separated by commas. */
final class Identity {
    private static final int MOST = 1023; // bytes, as the library takes them
    private static final int MOST_VALUE = 127;

    private final StringBuilder pairs;

    Identity(String told) {
        pairs = new StringBuilder(told);
    }

    /** With what the build says, unless app= is silent; the build may be the first to speak. */
    static void complete(List<String> settings) {
        String told = Settings.get("app", null);
        for (String setting : settings) {
            told = setting != null && setting.startsWith("app=") ? setting.substring("app=".length()) : told;
        }
        String built = Settings.built("APP");
        if (told != null ? told.isEmpty() : built == null) {
            return;
        }
        Identity identity = new Identity(told != null ? told : "");
        for (String pair : (built != null ? built : "").split(",")) {
            identity.add(pair.substring(0, Math.max(0, pair.indexOf('='))), pair.substring(pair.indexOf('=') + 1));
        }
        identity.add("build", Settings.built("HASH"));
        settings.add("app=" + identity);
    }

    /** Unless it is there, says nothing or has no room; without what the library refuses. */
    void add(String key, String value) {
        String clean = value != null ? value.trim() : "";
        while (sizeOf(clean) > MOST_VALUE) {
            clean = clean.substring(0, clean.offsetByCodePoints(clean.length(), -1));
        }
        String pair = key + '=' + clean.replaceAll("[^\\p{L}\\p{N}\\p{P}\\p{S} ]|,", "_");
        if (!key.isEmpty() && !clean.isEmpty() && !("," + pairs).contains(',' + key + '=')
                && sizeOf(pairs + "," + pair) <= MOST) {
            pairs.append(pairs.length() > 0 ? "," : "").append(pair);
        }
    }

    private static int sizeOf(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    @Override
    public String toString() {
        return pairs.toString();
    }
}
