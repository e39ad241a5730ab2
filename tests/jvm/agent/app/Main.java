package app;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntUnaryOperator;

/** Calls in every way that a class can be loaded and called in; what it prints is the same each time. */
public class Main {
    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int throwing(int n) {
        if (n == 0) {
            throw new IllegalStateException("at the bottom");
        }
        return throwing(n - 1) + 1;
    }

    static int catching(int times) {
        int caught = 0;
        for (int i = 0; i < times; i++) {
            try {
                throwing(i % 5);
            } catch (IllegalStateException e) {
                caught++;
            }
        }
        return caught;
    }

    static int lambdas(int times) {
        IntUnaryOperator body = n -> fib(n % 7);
        int sum = 0;
        for (int i = 0; i < times; i++) {
            sum += body.applyAsInt(i);
        }
        return sum;
    }

    public static int reflected(int n) {
        if (n > 90) {
            throw new IllegalArgumentException("too many");
        }
        return fib(n % 5);
    }

    static int reflection() throws Exception {
        Method method = Main.class.getMethod("reflected", int.class);
        int sum = 0;
        for (int i = 0; i < 100; i++) {
            try {
                sum += (Integer) method.invoke(null, i);
            } catch (InvocationTargetException e) {
                sum--;
            }
        }
        return sum;
    }

    /** The same class by many loaders, which go away again. */
    static int loaders(int count) throws Exception {
        byte[] bytes = read("Unit.class");
        int sum = 0;
        for (int i = 0; i < count; i++) {
            Class<?> type = new Loader(bytes).define();
            sum += (Integer) type.getMethod("call", int.class).invoke(null, i);
        }
        System.gc();
        return sum;
    }

    static int threads(int count) throws Exception {
        byte[] bytes = read("Unit.class");
        ExecutorService pool = Executors.newFixedThreadPool(count);
        List<Future<Integer>> parts = new ArrayList<>();
        for (int i = 0; i < count * 4; i++) {
            Callable<Integer> part = () -> (Integer) new Loader(bytes).define().getMethod("call", int.class)
                    .invoke(null, 3);
            parts.add(pool.submit(part));
        }
        int sum = 0;
        for (Future<Integer> part : parts) {
            sum += part.get();
        }
        pool.shutdown();
        return sum;
    }

    static byte[] read(String name) throws Exception {
        try (InputStream in = Main.class.getResourceAsStream(name)) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int b = in.read(); b >= 0; b = in.read()) {
                out.write(b);
            }
            return out.toByteArray();
        }
    }

    static final class Loader extends URLClassLoader {
        private final byte[] bytes;

        Loader(byte[] bytes) {
            super(new URL[0], Main.class.getClassLoader());
            this.bytes = bytes;
        }

        Class<?> define() {
            return defineClass("app.Unit", bytes, 0, bytes.length);
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println(fib(15) + " " + catching(100) + " " + lambdas(100) + " " + reflection() + " "
                + loaders(200) + " " + threads(8));
        if (args.length > 0) {
            System.out.println("ready");
            Thread.sleep(600_000);
        }
        System.exit(3);
    }
}
