package methodbeat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Settings by name, from -Dmethodbeat.NAME=VALUE or the environment's METHODBEAT_NAME. The recorder's
 * own (see methodbeat.h) are passed on; these are Java's:
 *
 * <pre>
 * flavour  mapped   probes are Java, coarse clock (default on x86 and on Android 6 and 7)
 *          native   probes are native methods, counter clock (default elsewhere)
 * main     first    the main thread is the one with the first probe (default)
 *          NAME     ... the one with this name
 * library  PATH     of libmethodbeat; default: found in java.library.path
 * </pre>
 *
 * <p>Some of the recorder's have other defaults here, but on Android: all threads are recorded, virtual
 * ones too where there are such, there is a profile, and the process is named after its main class or
 * jar.
 */
final class Settings {
    private static final String PREFIX = "methodbeat.";
    private static final List<String> JAVA_ONLY = Arrays.asList("flavour", "main", "library");

    static boolean isMapped() {
        String flavour = get("flavour", "");
        boolean isMapped = flavour.equals("mapped");
        if (isMapped || flavour.equals("native")) {
            return isMapped;
        }
        if (get("flavour", null) != null) {
            Log.say("flavour=" + flavour + " is not understood: mapped or native");
        }
        return isAndroid() ? isCheaperMapped() : keepsOrderOfStores();
    }

    /**
     * Not where a native call is cheap. An app starts in an interpreter, and ART's takes 0.3 us for a record
     * by @CriticalNative and 1.5 us for one by Java (Android 11, measured). Compiled code calls the C function
     * itself from Android 12 on (HSharpening::SharpenLoadMethod, kCallCriticalNative; in debuggable apps by
     * the stub), and before by a stub that leaves the thread's state alone; what Java's takes there was not
     * measured. And on Arm nothing keeps its stores in order. Before Android 8 a native call changes
     * that state twice, for 100 ns and more.
     */
    private static boolean isCheaperMapped() {
        return !Library.hasCriticalNatives();
    }

    /** Where others see plain stores in their order, a word before the count that covers it. */
    private static boolean keepsOrderOfStores() {
        try {
            return Arrays.asList("amd64", "x86_64", "x86", "i386").contains(System.getProperty("os.arch"));
        } catch (RuntimeException e) {
            return false;
        }
    }

    static boolean isAndroid() {
        try {
            return "Dalvik".equals(System.getProperty("java.vm.name"));
        } catch (RuntimeException e) {
            return false; // properties may be the program's own, or out of bounds
        }
    }

    /** The name of the main thread; null: it is the first that asks. */
    static String mainName() {
        String name = get("main", "first");
        if (name.isEmpty()) {
            Log.say("main= is not understood: first, or the name of a thread");
        }
        return name.isEmpty() || name.equals("first") ? null : name;
    }

    static String get(String name, String otherwise) {
        String value = null;
        try {
            value = System.getProperty(PREFIX + name);
            if (value == null) {
                value = System.getenv("METHODBEAT_" + name.toUpperCase(Locale.ROOT));
            }
        } catch (SecurityException e) {
            // as if it were not set
        }
        return value != null ? value : otherwise;
    }

    /** Defaults, all properties that the library understands, as "name=value", then more. */
    static String[] forLibrary(String... more) {
        List<String> settings = new ArrayList<>();
        try {
            if (!isAndroid()) {
                addDefault(settings, "threads", "all");
                settings.add("max_threads=255:" + (Library.VIRTUAL_THREAD != null ? "16384" : "0"));
                settings.add("max_threads=" + get("max_threads", "255")); // that may leave out the second
                addDefault(settings, "profile", "on");
                addDefault(settings, "process_name", programName());
            }
            String hash = built("HASH");
            if (hash != null) {
                addDefault(settings, "mapping", hash);
            }
            addProperties(settings);
        } catch (SecurityException e) {
            // as if there were none
        }
        for (String setting : more) {
            if (setting != null && isJavaOnly(setting.substring(0, Math.max(0, setting.indexOf('='))))) {
                Log.say(setting + " comes too late: it is read before the first probe");
            } else {
                settings.add(setting); // the library tells of one that is null
            }
        }
        Identity.complete(settings);
        return settings.toArray(new String[0]);
    }

    /** All properties, then more; the library takes those of the monitors. */
    static String[] forMonitors(String... more) {
        List<String> settings = new ArrayList<>();
        try {
            addProperties(settings);
        } catch (SecurityException e) {
            // as if there were none
        }
        settings.addAll(Arrays.asList(more));
        Identity.complete(settings);
        return settings.toArray(new String[0]);
    }

    /** What the setting process_name says, else the program's; null on Android, whose system knows. */
    static String processName() {
        try {
            return get("process_name", isAndroid() ? null : programName());
        } catch (SecurityException e) {
            return null;
        }
    }

    private static void addDefault(List<String> settings, String name, String value) {
        if (get(name, null) == null) {
            settings.add(name + '=' + value);
        }
    }

    /**
     * Of a program whose build has put the class Mapping in: HASH, of the method map it was built with, or APP,
     * pairs of the setting app. Null if the build set none.
     */
    static String built(String name) {
        try {
            return (String) Class.forName("methodbeat.Mapping").getField(name).get(null);
        } catch (ReflectiveOperationException | LinkageError | ClassCastException e) {
            return null;
        }
    }

    /** Of the main class or jar, without packages and folders; for the system it is "java". */
    private static String programName() {
        String command = System.getProperty("sun.java.command", "java").split(" ", 2)[0];
        String name = command.substring(command.lastIndexOf('/') + 1);
        return name.endsWith(".jar") ? name.substring(0, name.length() - ".jar".length())
                : name.substring(name.lastIndexOf('.') + 1);
    }

    private static void addProperties(List<String> settings) {
        for (String property : System.getProperties().stringPropertyNames()) {
            if (property.startsWith(PREFIX)) {
                String name = property.substring(PREFIX.length());
                if (!isJavaOnly(name)) {
                    settings.add(name + '=' + System.getProperty(property));
                }
            }
        }
    }

    private static boolean isJavaOnly(String name) {
        return JAVA_ONLY.contains(name);
    }

    private Settings() {}
}
