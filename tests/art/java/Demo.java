import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;

/**
 * One of each: what ART could see otherwise than a JVM does in a method with probes. Prints and calls the same
 * each time, however its threads take turns. The argument "throw" has main end by an exception.
 */
public final class Demo {
    private static final int WAVES = 8;
    private static final int THREADS = 8;

    public static void main(String[] words) throws Exception {
        calls();
        switches();
        exits();
        locks();
        objects();
        lambdas();
        reflection();
        pools();
        comeAndGo();
        if (words.length > 0 && words[0].equals("throw")) {
            throw new IllegalStateException("as it was told to");
        }
    }

    private static void show(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }

    // ---- Calls and switches ----

    private static int fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    private static long deep(int depth, long wide, double much, byte small) {
        return depth == 0 ? wide + (long) much + small : 1 + deep(depth - 1, wide, much, small);
    }

    private static long[][] fill(int... sizes) {
        long[][] table = new long[sizes.length][];
        for (int i = 0; i < sizes.length; i++) {
            table[i] = new long[sizes[i]];
            Arrays.fill(table[i], Integer.MAX_VALUE + (long) i);
        }
        return table;
    }

    private static void calls() {
        show("%d %d %s", fibonacci(12), deep(500, 1L << 40, 2.5, (byte) -1), Arrays.deepToString(fill(1, 2, 3)));
    }

    private enum Colour {
        RED,
        GREEN {
            @Override
            int number() {
                return 40 + super.number();
            }
        },
        BLUE;

        int number() {
            return ordinal();
        }
    }

    private static int byText(String text) {
        switch (text) {
        case "Aa":
            return 1;
        case "BB": // the same hash code
            return 2;
        case "":
            return byColour(Colour.GREEN);
        default:
            return byNumber(text.length());
        }
    }

    private static int byNumber(int number) {
        switch (number) {
        case 1: case 2: case 3:
            return number * 10;
        case 1_000_000:
            return -1;
        default:
            return Integer.MIN_VALUE + number;
        }
    }

    private static int byColour(Colour colour) {
        switch (colour) {
        case RED:
            return 100;
        case GREEN:
            return colour.number();
        default:
            return 300;
        }
    }

    private static void switches() {
        for (String text : new String[] {"Aa", "BB", "", "ab", "abcdef"}) {
            show("%s %d", text, byText(text));
        }
    }

    // ---- Ways out ----

    private static String finallyReturns(int how) {
        StringBuilder said = new StringBuilder();
        try {
            try {
                try {
                    said.append(fail(how));
                    return said.append("a").toString();
                } catch (IllegalArgumentException e) {
                    said.append("b");
                    if (how == 2) {
                        throw new IllegalStateException(e);
                    }
                } finally {
                    said.append("c");
                    if (how == 3) {
                        return said.append("!").toString(); // drops an exception
                    }
                }
            } finally {
                said.append("d");
            }
        } catch (IllegalStateException e) {
            said.append("e").append(e.getCause() != null);
        }
        return said.toString();
    }

    private static int fail(int how) {
        switch (how) {
        case 1: case 2:
            throw new IllegalArgumentException("no");
        case 3:
            throw new UnsupportedOperationException();
        case 4:
            throw new IllegalStateException();
        default:
            return how;
        }
    }

    private static final class Door implements AutoCloseable {
        private final boolean jams;

        Door(boolean jams) {
            this.jams = jams;
        }

        @Override
        public void close() {
            if (jams) {
                throw new IllegalStateException("jams");
            }
        }
    }

    private static int through(boolean first, boolean second, int value) {
        try (Door one = new Door(first); Door two = new Door(second)) {
            return 100 / value;
        }
    }


    private static void exits() {
        for (int how = 0; how < 5; how++) {
            show("%s", finallyReturns(how));
        }
        for (int i = 0; i < 8; i++) {
            try {
                show("%d", through((i & 1) != 0, (i & 2) != 0, i & 4));
            } catch (ArithmeticException | IllegalStateException e) {
                show("%s %d", e.getClass().getName(), e.getSuppressed().length);
            }
        }
        Object[] wrong = {null, "text", new int[0]};
        for (Object each : wrong) {
            try {
                show("%d", ((Integer) each).intValue());
            } catch (ClassCastException | NullPointerException e) {
                show("%s", e.getClass().getName());
            }
        }
    }

    // ---- Monitors ----

    private static int count;

    private static synchronized int next(int most) {
        if (count >= most) {
            throw new IllegalStateException("enough");
        }
        return ++count;
    }

    private static int nested(Object one, Object two, int how) {
        synchronized (one) {
            int sum = how;
            synchronized (two) {
                for (int i = 0; i < 3; i++) {
                    if (how == 1) {
                        return sum;
                    }
                    sum += fail(how == 0 ? i * 5 : how);
                }
            }
            return sum;
        }
    }

    private static void locks() throws InterruptedException {
        Object one = new Object();
        for (int how : new int[] {0, 1, 2, 4}) {
            try {
                show("%d", nested(one, new Object(), how));
            } catch (RuntimeException e) {
                show("%s %b", e.getClass().getName(), Thread.holdsLock(one));
            }
        }
        for (int i = 0; i < 3; i++) {
            try {
                show("%d", next(2));
            } catch (IllegalStateException e) {
                show("%s %b", e.getMessage(), Thread.holdsLock(Demo.class));
            }
        }
        Thread other = new Thread(() -> tell(one));
        synchronized (one) {
            other.start();
            one.wait();
        }
        other.join();
    }

    private static void tell(Object one) {
        synchronized (one) {
            one.notifyAll();
        }
    }

    // ---- Objects ----

    private static class Base {
        final String name;
        private final int size = measure("field");

        Base(String name) {
            this.name = name;
            greet();
        }

        Base(int number) {
            this(number < 0 ? describe(fail(number + 3)) : describe(number));
        }

        void greet() {}

        private static String describe(int number) {
            return "number " + number;
        }

        static int measure(String text) {
            return text.length();
        }

        int size() {
            return size;
        }
    }

    private static final class Derived extends Base implements Comparable<Derived> {
        private String greeting = "never seen";

        Derived(int number) {
            super(number);
            synchronized (this) {
                if (number == 9) {
                    throw new IllegalArgumentException(name);
                }
            }
        }

        @Override
        void greet() {
            greeting = greeting + "!"; // before the field has its value
        }

        @Override
        public int compareTo(Derived other) {
            return name.compareTo(other.name);
        }

        final class Inner {
            String outer() {
                return greeting + size();
            }
        }
    }

    private static final class Broken {
        static final int VALUE = fail(1);
    }

    private static void objects() {
        for (int number : new int[] {1, 9, -1, -2, -3}) {
            try {
                Derived made = new Derived(number);
                show("%s %s", made.name, made.new Inner().outer());
            } catch (RuntimeException e) {
                show("%s %s", e.getClass().getName(), e.getMessage());
            }
        }
        List<Derived> sorted = new ArrayList<>(Arrays.asList(new Derived(7), new Derived(3)));
        Collections.sort(sorted);
        show("%s", sorted.get(0).name);
        for (int i = 0; i < 2; i++) {
            try {
                show("%d", Broken.VALUE);
            } catch (LinkageError e) {
                show("%s", e.getClass().getName());
            }
        }
    }

    // ---- Lambdas, reflection ----

    private interface Shape {
        double side();

        default double area() {
            return square(side());
        }

        static double square(double side) {
            return side * side;
        }
    }

    private static <T> T twice(Supplier<T> supplier) {
        supplier.get();
        return supplier.get();
    }

    private static void lambdas() {
        AtomicInteger calls = new AtomicInteger();
        Function<Integer, Function<Integer, Integer>> add = x -> y -> x + y + calls.incrementAndGet();
        IntBinaryOperator power = Math::addExact;
        Shape shape = () -> 1.5;
        show("%d %d %s %.2f", add.apply(1).apply(2), power.applyAsInt(3, 4), twice(calls::incrementAndGet), shape.area());
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            numbers.add(i * 7 % 20);
        }
        show("%s", numbers.stream().filter(n -> n % 3 == 0).map(Demo::label).sorted().reduce("", String::concat));
        try {
            numbers.forEach(n -> fail(n));
        } catch (RuntimeException e) {
            show("%s", e.getClass().getName());
        }
    }

    private static String label(int number) {
        return (char) ('a' + number) + "" + number;
    }

    private static void reflection() throws ReflectiveOperationException {
        try {
            Demo.class.getDeclaredMethod("fail", int.class).invoke(null, 1);
        } catch (InvocationTargetException e) {
            show("%s", e.getCause().getMessage());
        }
        Shape shape = (Shape) Proxy.newProxyInstance(Demo.class.getClassLoader(), new Class<?>[] {Shape.class},
                (proxy, method, arguments) -> answer(method.getName()));
        show("%.1f %.1f", shape.side(), shape.area());
    }

    private static double answer(String name) {
        return name.length();
    }

    // ---- Threads ----

    private static final class Sum extends RecursiveTask<Long> {
        private final int from;
        private final int to;

        Sum(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected Long compute() {
            if (to - from <= 50) {
                long sum = 0;
                for (int i = from; i < to; i++) {
                    sum += i;
                }
                return sum;
            }
            Sum half = new Sum(from, (from + to) / 2);
            half.fork();
            return new Sum((from + to) / 2, to).compute() + half.join();
        }
    }

    private static int task(int number) {
        return number % 5 == 1 ? fail(number % 2 + 1) : fibonacci(number % 7);
    }

    private static void pools() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            int number = i;
            futures.add(pool.submit(() -> task(number)));
        }
        int sum = 0;
        int failed = 0;
        for (Future<Integer> future : futures) {
            try {
                sum += future.get();
            } catch (ExecutionException e) {
                failed++;
            }
        }
        show("%d %d", sum, failed);
        show("%d", CompletableFuture.supplyAsync(() -> task(6), pool).handleAsync((n, e) -> e != null ? -1 : n, pool)
                .thenApplyAsync(n -> task(n + 5), pool).join());
        pool.shutdown();
        show("%d", new ForkJoinPool(3).invoke(new Sum(0, 1000)));
    }

    private static void churn(int number, AtomicInteger done) {
        Object[] kept = new Object[16];
        for (int i = 0; i < 200; i++) {
            kept[i % kept.length] = allocate(i);
        }
        if (number % 4 == 3) {
            Runtime.getRuntime().gc();
        }
        done.addAndGet(kept.length);
        if (number % 3 == 0) {
            fail(number % 2 + 1);
        }
    }

    private static byte[] allocate(int number) {
        return new byte[1 + number * 20];
    }

    /** While memory is collected. */
    private static void comeAndGo() throws InterruptedException {
        AtomicInteger done = new AtomicInteger();
        AtomicInteger died = new AtomicInteger();
        for (int wave = 0; wave < WAVES; wave++) {
            Thread[] threads = new Thread[THREADS];
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                threads[i] = new Thread(() -> churn(number, done), "churn " + wave + " " + i);
                threads[i].setUncaughtExceptionHandler((thread, e) -> died.incrementAndGet());
                threads[i].start();
            }
            Runtime.getRuntime().gc();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        show("%d %d", done.get(), died.get());
    }

    private Demo() {}
}
