import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.AdviceAdapter;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * What methodbeat is measured against: a method tracer built the usual way, on ASM.
 *
 * <p>Two passes, as build plug-ins do it: collect the methods of all inputs with the tree API, then
 * rewrite each class with EXPAND_FRAMES, AdviceAdapter and COMPUTE_FRAMES, asking a class loader over
 * all inputs for common superclasses. A thread pool takes one input at a time; jars are written with
 * java.util.zip. Where a plug-in wastes time that its approach does not ask for (a class writer in the
 * first pass, a copy of each class on disk), this program does not.
 *
 * <p>usage: Rival OUTPUT_DIR LEVEL REPETITIONS INPUT...; prints the wall time of each repetition in
 * milliseconds, the number of methods traced and that of classes that failed. Each repetition writes
 * to a fresh folder OUTPUT_DIR/NUMBER; the one before is deleted first, while the clock stands.
 */
public final class Rival {
    private static final int API = Opcodes.ASM9;
    private static final String BEAT = "methodbeat/MethodBeat";

    private final List<File> inputs;
    private final File outputDir;
    private final int level;
    private final Map<String, Integer> ids = new ConcurrentHashMap<>();
    private final Set<String> ignored = ConcurrentHashMap.newKeySet();
    private final AtomicInteger nextId = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private ClassLoader loader;

    private Rival(List<File> inputs, File outputDir, int level) {
        this.inputs = inputs;
        this.outputDir = outputDir;
        this.level = level;
    }

    public static void main(String[] args) throws Exception {
        List<File> inputs = new ArrayList<>();
        for (int i = 3; i < args.length; i++) {
            inputs.add(new File(args[i]));
        }
        File outputDir = new File(args[0]);
        for (int i = 0; i < Integer.parseInt(args[2]); i++) {
            delete(new File(outputDir, String.valueOf(i - 1)));
            Rival rival = new Rival(inputs, new File(outputDir, String.valueOf(i)),
                    Integer.parseInt(args[1]));
            long start = System.nanoTime();
            rival.run();
            System.out.printf("%.1f %d %d%n", (System.nanoTime() - start) / 1e6, rival.ids.size(),
                    rival.failed.get());
        }
    }

    private interface Task {
        void on(File input) throws Exception;
    }

    private void run() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (File input : inputs) {
            urls.add(input.toURI().toURL());
        }
        URLClassLoader urlLoader = new URLClassLoader(urls.toArray(new URL[0]),
                ClassLoader.getPlatformClassLoader());
        loader = urlLoader;
        Files.createDirectories(outputDir.toPath());
        ExecutorService pool =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        forEachInput(pool, this::collect);
        writeMappings();
        forEachInput(pool, this::trace);
        pool.shutdown();
        urlLoader.close();
    }

    private void forEachInput(ExecutorService pool, Task task) throws Exception {
        List<Future<?>> futures = new ArrayList<>();
        for (File input : inputs) {
            futures.add(pool.submit((Callable<Void>) () -> {
                task.on(input);
                return null;
            }));
        }
        for (Future<?> future : futures) {
            future.get();
        }
    }

    private static boolean isClass(String name) {
        return name.endsWith(".class") && !name.contains("R.class") && !name.contains("R$")
                && !name.contains("Manifest") && !name.contains("BuildConfig");
    }

    // ---- first pass ----

    private void collect(File input) throws IOException {
        if (input.isDirectory()) {
            for (Path path : filesOf(input)) {
                if (isClass(path.getFileName().toString())) {
                    collectClass(Files.readAllBytes(path));
                }
            }
            return;
        }
        try (ZipFile zip = new ZipFile(input)) {
            for (Enumeration<? extends ZipEntry> e = zip.entries(); e.hasMoreElements();) {
                ZipEntry entry = e.nextElement();
                if (isClass(entry.getName())) {
                    collectClass(read(zip, entry));
                }
            }
        }
    }

    private void collectClass(byte[] bytes) {
        try {
            new ClassReader(bytes).accept(new Collector(), 0);
        } catch (RuntimeException unreadable) {
            // a plug-in logs it
        }
    }

    private final class Collector extends ClassVisitor {
        private String className;
        private boolean skipped;

        Collector() {
            super(API);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String superName,
                String[] interfaces) {
            className = name;
            skipped = (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_INTERFACE)) != 0;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String desc, String signature,
                String[] exceptions) {
            if (skipped) {
                return null;
            }
            String key = className + "." + name + "." + desc;
            return new MethodNode(API, access, name, desc, signature, exceptions) {
                @Override
                public void visitEnd() {
                    if (callsSomething(this)) {
                        ids.put(key, nextId.incrementAndGet());
                    } else {
                        ignored.add(key);
                    }
                }
            };
        }
    }

    private static boolean callsSomething(MethodNode method) {
        for (AbstractInsnNode insn : method.instructions) {
            if (insn.getOpcode() >= Opcodes.INVOKEVIRTUAL
                    && insn.getOpcode() <= Opcodes.INVOKEDYNAMIC) {
                return true;
            }
        }
        return false;
    }

    private void writeMappings() throws IOException {
        try (PrintWriter out = new PrintWriter(new File(outputDir, "methodMapping.txt"), "UTF-8")) {
            ids.entrySet().stream().sorted(Map.Entry.comparingByValue())
                    .forEach(e -> out.println(e.getValue() + ",1," + e.getKey()));
        }
        try (PrintWriter out =
                new PrintWriter(new File(outputDir, "ignoreMethodMapping.txt"), "UTF-8")) {
            ignored.stream().sorted().forEach(out::println);
        }
    }

    // ---- second pass ----

    private void trace(File input) throws IOException {
        File output = new File(outputDir, input.getName());
        if (input.isDirectory()) {
            Path folder = null;
            for (Path path : filesOf(input)) {
                Path target = output.toPath().resolve(input.toPath().relativize(path));
                byte[] bytes = Files.readAllBytes(path);
                if (!target.getParent().equals(folder)) {
                    folder = target.getParent();
                    Files.createDirectories(folder);
                }
                Files.write(target, isClass(path.getFileName().toString()) ? traceClass(bytes) : bytes);
            }
            return;
        }
        Set<String> written = new HashSet<>();
        try (ZipFile zip = new ZipFile(input);
                ZipOutputStream out = new ZipOutputStream(
                        new BufferedOutputStream(new FileOutputStream(output)))) {
            out.setLevel(level);
            for (Enumeration<? extends ZipEntry> e = zip.entries(); e.hasMoreElements();) {
                ZipEntry entry = e.nextElement();
                if (!written.add(entry.getName())) {
                    continue;
                }
                byte[] bytes = read(zip, entry);
                out.putNextEntry(new ZipEntry(entry.getName()));
                out.write(isClass(entry.getName()) ? traceClass(bytes) : bytes);
                out.closeEntry();
            }
        }
    }

    private byte[] traceClass(byte[] bytes) {
        try {
            ClassReader reader = new ClassReader(bytes);
            ClassWriter writer = new LoadingClassWriter();
            reader.accept(new Tracer(writer), ClassReader.EXPAND_FRAMES);
            return writer.toByteArray();
        } catch (RuntimeException | LinkageError unreadable) {
            failed.incrementAndGet();
            return bytes;
        }
    }

    private final class LoadingClassWriter extends ClassWriter {
        LoadingClassWriter() {
            super(ClassWriter.COMPUTE_FRAMES);
        }

        @Override
        protected String getCommonSuperClass(String first, String second) {
            try {
                Class<?> a = Class.forName(first.replace('/', '.'), false, loader);
                Class<?> b = Class.forName(second.replace('/', '.'), false, loader);
                if (a.isAssignableFrom(b)) {
                    return first;
                }
                if (b.isAssignableFrom(a)) {
                    return second;
                }
                if (a.isInterface() || b.isInterface()) {
                    return "java/lang/Object";
                }
                do {
                    a = a.getSuperclass();
                } while (!a.isAssignableFrom(b));
                return a.getName().replace('.', '/');
            } catch (ClassNotFoundException | LinkageError missing) {
                return "java/lang/Object";
            }
        }
    }

    private final class Tracer extends ClassVisitor {
        private String className;
        private boolean skipped;

        Tracer(ClassVisitor next) {
            super(API, next);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String superName,
                String[] interfaces) {
            super.visit(version, access, name, signature, superName, interfaces);
            className = name;
            skipped = (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_INTERFACE)) != 0;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String desc, String signature,
                String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, desc, signature, exceptions);
            Integer id = skipped ? null : ids.get(className + "." + name + "." + desc);
            return id == null ? next : new AdviceAdapter(API, next, access, name, desc) {
                @Override
                protected void onMethodEnter() {
                    push(id);
                    mv.visitMethodInsn(INVOKESTATIC, BEAT, "i", "(I)V", false);
                }

                @Override
                protected void onMethodExit(int opcode) {
                    push(id);
                    mv.visitMethodInsn(INVOKESTATIC, BEAT, "o", "(I)V", false);
                }
            };
        }
    }

    // ---- files ----

    private static List<Path> filesOf(File folder) throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> walk = Files.walk(folder.toPath())) {
            walk.filter(Files::isRegularFile).forEach(files::add);
        }
        return files;
    }

    private static void delete(File folder) throws IOException {
        if (folder.exists()) {
            List<Path> paths = new ArrayList<>();
            try (Stream<Path> walk = Files.walk(folder.toPath())) {
                walk.forEach(paths::add);
            }
            for (int i = paths.size(); i-- > 0;) {
                Files.delete(paths.get(i));
            }
        }
    }

    private static byte[] read(ZipFile zip, ZipEntry entry) throws IOException {
        try (InputStream in = zip.getInputStream(entry)) {
            return in.readAllBytes();
        }
    }
}
