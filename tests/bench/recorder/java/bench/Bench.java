import java.io.File;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;

/**
 * What one i and o pair costs in Java, in nanoseconds. Every variant has a class loader and a copy of
 * the library of its own, so that all live in one JVM and take turns within each round.
 *
 * <p>usage: Bench FOLDER RUNTIME_JAR LIBRARY EMPTY_LIBRARY [ROUNDS], where FOLDER has the
 * compiled classes of loop, upstream, empty and none.
 */
public final class Bench {
    private static final int WARM_UP = 30;
    private static final int LOOP_ID = 7;
    private static final int CHUNK = 200000; // pairs; shorter than a time slice
    private static final int CHUNKS = 20;

    private static final class Variant {
        final String name;
        final IntConsumer loop;
        final boolean elsewhere; // on another thread than the recorded one
        double[] ns;

        Variant(String name, IntConsumer loop, boolean elsewhere) {
            this.name = name;
            this.loop = loop;
            this.elsewhere = elsewhere;
        }
    }

    private static Path folder;
    private static String runtimeJar;
    private static String library;
    private static final List<Variant> variants = new ArrayList<>();
    private static final Map<String, String> settings = new TreeMap<>();

    private static IntConsumer load(String classes, String name) throws Exception {
        URL[] path = {folder.resolve("loop").toUri().toURL(), new File(classes).toURI().toURL()};
        ClassLoader loader = new URLClassLoader(path, Bench.class.getClassLoader().getParent());
        IntConsumer loop =
                (IntConsumer) loader.loadClass(name).getDeclaredConstructor().newInstance();
        loop.accept(10); // loads MethodBeat, on the main thread
        return loop;
    }

    /** A design of our own to compare with. */
    private static IntConsumer rival(String name, String loop) throws Exception {
        return load(folder.resolve(name) + "/", loop);
    }

    private static IntConsumer upstreamWithNanoTime() throws Exception {
        System.setProperty("bench.nano_time", "true");
        IntConsumer loop = rival("upstream", "Loop");
        System.clearProperty("bench.nano_time");
        return loop;
    }

    private static IntConsumer recorder(String loopName, String... pairs) throws Exception {
        Path copy = folder.resolve("lib" + settings.size() + variants.size() + ".so");
        Files.copy(Path.of(library), copy, StandardCopyOption.REPLACE_EXISTING);
        settings.clear();
        settings.put("library", copy.toString());
        settings.put("process_name", "bench"); // with nothing else set it would be released
        settings.put("file", folder.resolve("none") + "/none");
        for (int k = 0; k < pairs.length; k += 2) {
            settings.put(pairs[k], pairs[k + 1]);
        }
        settings.forEach((name, value) -> System.setProperty("methodbeat." + name, value));
        IntConsumer loop = load(runtimeJar, loopName);
        settings.forEach((name, value) -> System.clearProperty("methodbeat." + name));
        return loop;
    }

    /** With the loop's method muted, as the library does it. */
    private static IntConsumer muted(IntConsumer loop) throws Exception {
        Class<?> beat = loop.getClass().getClassLoader().loadClass("methodbeat.MethodBeat");
        Field table = beat.getDeclaredField("MUTED");
        table.setAccessible(true);
        ((byte[]) table.get(null))[LOOP_ID] = 1;
        return loop;
    }

    private static void add(String name, IntConsumer loop) {
        variants.add(new Variant(name, loop, false));
    }

    private static void addElsewhere(String name, IntConsumer loop) {
        variants.add(new Variant(name, loop, true));
    }

    private static void addAll() throws Exception {
        String file = folder.resolve("bench.mbtrace").toString();
        add("empty JNI", rival("empty", "Loop"));
        add("upstream's design", rival("upstream", "Loop"));
        add("upstream's design, nanoTime", upstreamWithNanoTime());
        add("mapped", recorder("Loop", "flavour", "mapped"));
        add("mapped, file", recorder("Loop", "flavour", "mapped", "file", file + 1));
        add("native coarse", recorder("Loop", "flavour", "native", "clock", "coarse"));
        add("native counter", recorder("Loop", "flavour", "native"));
        add("native counter, file", recorder("Loop", "flavour", "native", "file", file + 2));
        add("no probes, called", rival("none", "CallLoop"));
        add("mapped, called", recorder("CallLoop", "flavour", "mapped"));
        add("mapped, muted, called", muted(recorder("CallLoop", "flavour", "mapped")));
        add("native, muted, called", muted(recorder("CallLoop", "flavour", "native")));
        addElsewhere("native, muted, elsewhere",
                muted(recorder("CallLoop", "flavour", "native", "threads", "all")));
        addElsewhere("native coarse, all, elsewhere",
                recorder("CallLoop", "flavour", "native", "threads", "all", "clock", "coarse"));
        addElsewhere("native counter, all, elsewhere",
                recorder("CallLoop", "flavour", "native", "threads", "all"));
        addElsewhere("upstream's design, elsewhere", rival("upstream", "CallLoop"));
        addElsewhere("mapped, elsewhere",
                recorder("CallLoop", "flavour", "mapped", "threads", "main"));
        addElsewhere("native, elsewhere",
                recorder("CallLoop", "flavour", "native", "threads", "main"));
    }

    /** The best chunk: the others shared the CPU with somebody. */
    private static double measure(Variant v, int chunks) throws InterruptedException {
        double[] took = {Double.MAX_VALUE};
        Runnable run = () -> {
            for (int k = 0; k < chunks; k++) {
                long start = System.nanoTime();
                v.loop.accept(CHUNK);
                took[0] = Math.min(took[0], (double) (System.nanoTime() - start) / CHUNK);
            }
        };
        if (v.elsewhere) {
            Thread thread = new Thread(run);
            thread.start();
            thread.join();
        } else {
            run.run();
        }
        return took[0];
    }

    private static double[] timesOf(String name) {
        for (Variant v : variants) {
            if (v.name.equals(name)) {
                return v.ns;
            }
        }
        throw new IllegalArgumentException(name);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** The median of the ratios inside each round, so that a slow minute hits both. */
    private static void ratio(String name, String base, double goal) {
        double[] a = timesOf(name);
        double[] b = timesOf(base);
        double[] ratios = new double[a.length];
        for (int r = 0; r < a.length; r++) {
            ratios[r] = a[r] / b[r];
        }
        double median = median(ratios);
        System.out.printf("%-64s %6.2f   goal %.2f  %s%n",
                name + " / " + base, median, goal, median <= goal ? "met" : "miss");
    }

    private static void difference(String name, String base, double goal) {
        double[] a = timesOf(name);
        double[] b = timesOf(base);
        double[] differences = new double[a.length];
        for (int r = 0; r < a.length; r++) {
            differences[r] = a[r] - b[r];
        }
        double median = median(differences);
        System.out.printf("%-64s %6.2f   goal %.2f  %s%n",
                name + " - " + base, median, goal, median <= goal ? "met" : "miss");
    }

    private static void print() {
        System.out.printf("%-32s %8s %8s%n", "ns per i+o pair", "min", "median");
        for (Variant v : variants) {
            System.out.printf("%-32s %8.2f %8.2f%n",
                    v.name, Arrays.stream(v.ns).min().getAsDouble(), median(v.ns));
        }
        ratio("native counter", "empty JNI", 1.45);
        ratio("native coarse", "empty JNI", 1.25);
        ratio("mapped", "upstream's design", 0.8);
        ratio("mapped, elsewhere", "upstream's design, elsewhere", 1.1);
        ratio("native counter", "upstream's design, nanoTime", 0.45);
        ratio("native counter, file", "native counter", 1.03);
        difference("mapped, muted, called", "no probes, called", 1);
        difference("native, muted, called", "no probes, called", 1);
        difference("native, muted, elsewhere", "no probes, called", 1);
    }

    public static void main(String[] args) throws Exception {
        folder = Path.of(args[0]).toAbsolutePath();
        runtimeJar = args[1];
        library = args[2];
        System.setProperty("bench.library", new File(args[3]).getAbsolutePath());
        int rounds = args.length > 4 ? Integer.parseInt(args[4]) : 9;
        addAll();
        for (Variant v : variants) {
            v.ns = new double[rounds];
            measure(v, WARM_UP);
        }
        for (int r = 0; r < rounds; r++) {
            for (Variant v : variants) {
                v.ns[r] = measure(v, CHUNKS);
            }
        }
        print();
        System.exit(0); // updaters
    }

    private Bench() {}
}
