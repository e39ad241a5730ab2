import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** So many classes that probes take seconds to go in: copies of one, under other names; one of 100 cannot be linked. */
public final class Crowd {
    public static final class Part00000 {
        public static int twice(int value) {
            int sum = 0;
            for (int i = 0; i < value; i++) {
                sum += i % 3;
            }
            return sum;
        }
    }

    /** Where this cannot be loaded, what returns it as that cannot be verified. */
    public static class Absent {
    }

    public static final class Heir extends Absent {
    }

    public static final class Unfit00000 {
        public static Absent get() {
            return new Heir();
        }
    }

    static final class Loader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean links) throws ClassNotFoundException {
            if (name.equals("Crowd$Absent")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, links);
        }

        Class<?> copy(String template, String name, int number) {
            String text = template.replace(name + "00000", String.format("%s%05d", name, number));
            return define(text.getBytes(StandardCharsets.ISO_8859_1));
        }

        Class<?> define(byte[] bytes) {
            return defineClass(bytes, 0, bytes.length);
        }
    }

    static String read(String name) throws Exception {
        try (InputStream in = Crowd.class.getResourceAsStream("Crowd$" + name + "00000.class")) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    public static void main(String[] words) throws Exception {
        String template = read("Part");
        String unfit = read("Unfit");
        Loader loader = new Loader();
        Class<?>[] all = new Class<?>[Integer.parseInt(words[0])];
        for (int i = 0; i < all.length; i++) {
            all[i] = loader.copy(template, "Part", i + 1);
            if (i % 100 == 50) {
                loader.copy(unfit, "Unfit", i);
            }
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
