import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** So many classes that probes take seconds to go in: copies of one, under other names. */
public final class Crowd {
    static final String NAME = "Crowd$Part00000";

    public static final class Part00000 {
        public static int twice(int value) {
            int sum = 0;
            for (int i = 0; i < value; i++) {
                sum += i % 3;
            }
            return sum;
        }
    }

    static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(bytes, 0, bytes.length);
        }
    }

    public static void main(String[] words) throws Exception {
        String template;
        try (InputStream in = Crowd.class.getResourceAsStream(NAME + ".class")) {
            template = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
        Loader loader = new Loader();
        Class<?>[] all = new Class<?>[Integer.parseInt(words[0])];
        for (int i = 0; i < all.length; i++) {
            String name = String.format("Part%05d", i + 1);
            all[i] = loader.define(template.replace("Part00000", name).getBytes(StandardCharsets.ISO_8859_1));
        }
        System.out.println("ready");
        Thread worker = new Thread(() -> {
            for (int i = 0;; i++) {
                try {
                    all[i % all.length].getMethod("twice", int.class).invoke(null, 1000);
                    Thread.sleep(1);
                } catch (ReflectiveOperationException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        worker.setDaemon(true);
        worker.start();
        System.in.read();
        System.out.println("ended");
        System.exit(7);
    }
}
