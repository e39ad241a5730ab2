import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.IntUnaryOperator;

/** Classes of many kinds, each called so often that its count tells whether it has probes. */
public final class Odd {
    /** As the JVM does not ask for a name, or the loader is one of many. */
    private static final class Loader extends ClassLoader {
        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    /** A class of the program whose name begins as those that the JDK makes. */
    static final class $Proxy0 {
        static int relay(int n) {
            return Integer.parseInt(n + "0");
        }
    }

    interface Service {
        int ask(int n);
    }

    private static byte[] template() throws Exception {
        try (InputStream in = Odd.class.getResourceAsStream("made/T000000.class")) {
            byte[] bytes = new byte[in.available()];
            return in.read(bytes) == bytes.length ? bytes : null;
        }
    }

    /** Its class file with another number of six digits. */
    private static byte[] numbered(byte[] template, int number) {
        byte[] bytes = template.clone();
        byte[] digits = String.format("T%06d", number).getBytes();
        for (int i = 0; i + digits.length <= bytes.length; i++) {
            if (new String(bytes, i, digits.length).equals("T000000")) {
                System.arraycopy(digits, 0, bytes, i, digits.length);
            }
        }
        return bytes;
    }

    private static int work(Class<?> type, int n) throws Exception {
        return ((IntUnaryOperator) type.getDeclaredConstructor().newInstance()).applyAsInt(n);
    }

    public static int reflected(int n) {
        return Integer.parseInt(n + "1");
    }

    private static long names() throws Exception {
        long sum = work(new Loader().define(null, numbered(template(), 1)), 1);
        Method method = Odd.class.getMethod("reflected", int.class);
        InvocationHandler handler = (proxy, called, arguments) -> $Proxy0.relay((Integer) arguments[0]);
        Service service = (Service) Proxy.newProxyInstance(Odd.class.getClassLoader(), new Class<?>[] {Service.class}, handler);
        IntUnaryOperator lambda = n -> Integer.parseInt(n + "2");
        for (int n = 0; n < 100; n++) {
            sum += (Integer) method.invoke(null, n) + service.ask(n) + lambda.applyAsInt(n);
        }
        return sum;
    }

    /** Each class in a loader of its own, which is dropped. */
    private static long churn(int count) throws Exception {
        byte[] template = template();
        long sum = 0;
        for (int n = 1; n <= count; n++) {
            sum += work(new Loader().define(null, numbered(template, n)), n);
        }
        return sum;
    }

    static int request(int n) {
        return Integer.parseInt(n + "3");
    }

    /** All classes in one loader; then requests until a line comes. */
    private static long serve(int count) throws Exception {
        byte[] template = count > 0 ? template() : null;
        Loader loader = new Loader();
        Class<?>[] types = new Class<?>[count];
        for (int n = 0; n < count; n++) {
            types[n] = loader.define(null, numbered(template, n + 1));
        }
        System.out.println("ready");
        for (int n = 0; System.in.available() == 0; n++) {
            request(n % 9);
            if (count > 0) {
                work(types[n % count], n);
            }
            Thread.sleep(1);
        }
        return count;
    }

    public static void main(String[] words) throws Exception {
        int count = words.length > 1 ? Integer.parseInt(words[1]) : 0;
        System.out.println(words[0].equals("names") ? names() : words[0].equals("churn") ? churn(count) : serve(count));
    }
}
