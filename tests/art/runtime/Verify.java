import dalvik.annotation.optimization.FastNative;
import dalvik.system.DexFile;
import dalvik.system.PathClassLoader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Collections;
import java.util.List;

/**
 * Prints each class of a jar of dex with what ART's verifier says: clean, access, soft, hard or unlinked, and why. None
 * is initialised.
 *
 * <pre>usage: Verify LIBVERIFY OUTPUT DEX [CLASS-PATH]</pre>
 */
public final class Verify {
    private static final String[] VERDICTS = {"clean", "access", "soft", "hard"};

    @FastNative
    static native int verify(Class<?> type, Object[] message);

    public static void main(String[] words) throws IOException {
        System.load(words[0]);
        String path = words.length > 3 ? words[2] + ":" + words[3] : words[2];
        ClassLoader loader = new PathClassLoader(path, Object.class.getClassLoader());
        List<String> names = Collections.list(new DexFile(words[2]).entries());
        Collections.sort(names);
        try (PrintStream out = new PrintStream(words[1])) {
            for (String name : names) {
                out.println(name + " " + judge(name, loader));
            }
        }
    }

    private static String judge(String name, ClassLoader loader) {
        Object[] message = {""};
        String verdict;
        try {
            verdict = VERDICTS[verify(Class.forName(name, false, loader), message)];
        } catch (Throwable e) {
            verdict = "unlinked";
            message[0] = e.getClass().getName() + " " + e.getMessage();
        }
        return (verdict + " " + message[0]).replace('\n', ' ').trim();
    }

    private Verify() {}
}
