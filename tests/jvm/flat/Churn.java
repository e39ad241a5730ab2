import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.function.IntUnaryOperator;

/** Classes of new names, each in a loader of its own, as of engines that compile templates and scripts: CLASSES of them, or, of 100 names,
 * until a line comes. */
public class Churn {
    /** What the others are copies of. */
    public static class T000000 implements IntUnaryOperator {
        static int one(int x) {
            return two(x) + 1;
        }

        static int two(int x) {
            return x ^ x >>> 3;
        }

        @Override
        public int applyAsInt(int x) {
            int sum = 0;
            for (int i = 0; i < 100; i++) {
                sum += one(x + i);
            }
            return sum;
        }
    }

    static class One extends ClassLoader {
        Class<?> define(byte[] bytes, String name) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    static final int LOOKS = 6;

    static int run(byte[] template, int number) throws ReflectiveOperationException {
        String name = String.format("Churn$T%06d", number);
        String text = new String(template, StandardCharsets.ISO_8859_1).replace("Churn$T000000", name);
        Class<?> type = new One().define(text.getBytes(StandardCharsets.ISO_8859_1), name);
        return ((IntUnaryOperator) type.getDeclaredConstructor().newInstance()).applyAsInt(number);
    }

    static void tell() throws IOException {
        System.gc();
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmRSS")) {
                System.out.println(line.replaceAll("\\D", ""));
            }
        }
    }

    public static void main(String[] words) throws Exception {
        byte[] template = Files.readAllBytes(Paths.get(words[0]));
        int count = Integer.parseInt(words[1]);
        System.out.println("ready");
        int sum = 0;
        for (int i = 1; count > 0 ? i <= count : System.in.available() == 0; i++) {
            sum += run(template, count > 0 ? i : i % 100);
            if (count > 0 && i % (count / LOOKS) == 0) {
                tell();
            } else if (count == 0) {
                Thread.sleep(2);
                if (i % 250 == 0) {
                    System.gc();
                }
            }
        }
        System.out.println("ended" + (sum == 1 ? " " : ""));
    }
}
