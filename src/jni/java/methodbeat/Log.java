package methodbeat;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;

/**
 * A line for the program's user. Never an exception; and not through System.err if that can be
 * helped, since the program may have put a stream there that takes its locks or has probes. On Android
 * it leads to the system's log.
 */
final class Log {
    static void say(String line) {
        try {
            String text = "methodbeat: " + line + System.lineSeparator();
            if (Settings.isAndroid() || !write(text)) {
                System.err.print(text);
            }
        } catch (Throwable e) {
            // then the line is lost
        }
    }

    private static boolean write(String text) throws IOException {
        try {
            new FileOutputStream(FileDescriptor.err).write(text.getBytes());
            return true;
        } catch (SecurityException e) {
            return false;
        }
    }

    /** A part of methodbeat failed that should work. */
    static void say(String what, Throwable e) {
        try {
            say(what + ": " + (e.getMessage() != null ? e.getMessage() : e.toString()));
        } catch (Throwable another) {
            // then the line is lost
        }
    }

    private Log() {}
}
