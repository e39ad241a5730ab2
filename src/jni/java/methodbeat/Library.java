package methodbeat;

import java.io.File;

/** libmethodbeat, loaded or not: without it the program runs on and records nothing. */
final class Library {
    static final boolean LOADED = load();
    static final boolean IS_MAPPED = !"native".equals(Settings.get("flavour", "mapped"));
    static final boolean IS_CRITICAL = LOADED && !IS_MAPPED && isArtWithCriticalNatives();

    private static boolean load() {
        String path = Settings.get("library", null);
        try {
            if (path != null) {
                System.load(new File(path).getAbsolutePath());
            } else {
                System.loadLibrary("methodbeat");
            }
            return true;
        } catch (UnsatisfiedLinkError | SecurityException e) {
            System.err.println("methodbeat: nothing is recorded: " + e.getMessage());
            return false;
        }
    }

    /** Android 8 is the first that honours the annotation. */
    private static boolean isArtWithCriticalNatives() {
        try {
            Class<?> version = Class.forName("android.os.Build$VERSION");
            return version.getField("SDK_INT").getInt(null) >= 26;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private Library() {}
}
