package methodbeat;

import java.util.ArrayList;
import java.util.List;

/**
 * Settings by name, from -Dmethodbeat.NAME=VALUE. The recorder's own (see methodbeat.h; it also reads
 * the environment, METHODBEAT_NAME) are passed on; these are Java's:
 *
 * <pre>
 * flavour  mapped   probes are Java, coarse clock (default)
 *          native   probes are native methods, counter clock
 * main     first    the main thread is the one with the first probe (default)
 *          NAME     ... the one with this name
 * library  PATH     of libmethodbeat; default: found in java.library.path
 * </pre>
 */
final class Settings {
    private static final String PREFIX = "methodbeat.";
    private static final String[] JAVA_ONLY = {"flavour", "main", "library"};

    static String get(String name, String otherwise) {
        String value = null;
        try {
            value = System.getProperty(PREFIX + name);
            if (value == null) {
                value = System.getenv("METHODBEAT_" + name.toUpperCase(java.util.Locale.ROOT));
            }
        } catch (SecurityException e) {
            // as if it were not set
        }
        return value != null ? value : otherwise;
    }

    /** All properties that the library understands, as "name=value", then more. */
    static String[] forLibrary(String[] more) {
        List<String> settings = new ArrayList<>();
        try {
            for (String property : System.getProperties().stringPropertyNames()) {
                if (property.startsWith(PREFIX) && !isJavaOnly(property)) {
                    settings.add(
                            property.substring(PREFIX.length())
                                    + '='
                                    + System.getProperty(property));
                }
            }
        } catch (SecurityException e) {
            // as if there were none
        }
        for (String setting : more) {
            settings.add(setting);
        }
        return settings.toArray(new String[0]);
    }

    private static boolean isJavaOnly(String property) {
        for (String name : JAVA_ONLY) {
            if (property.equals(PREFIX + name)) {
                return true;
            }
        }
        return false;
    }

    private Settings() {}
}
