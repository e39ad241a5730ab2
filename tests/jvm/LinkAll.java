import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Links every class of one jar or folder, which is when HotSpot verifies it, and initialises none.
 *
 * <p>usage: java -Xverify:all LinkAll [-boot] INPUT [CLASSPATH-ENTRY...]
 *
 * <p>Prints one line a class, sorted by name: {@code a.b.C ok} or {@code a.b.C VerifyError: the
 * first line of its message}. What forces linking is to ask for members: HotSpot links a class
 * before it lists them, and Class.forName with {@code initialize == false} does not.
 * With {@code -boot} the classes are looked up in the running JDK, for modules given with
 * --patch-module. Otherwise the input's own loader looks there first and at its parent afterwards,
 * so that a jar may hold classes that the JDK has too.
 */
public final class LinkAll {
    private static final List<Consumer<Class<?>>> LISTERS = Arrays.asList(
            Class::getConstructors, Class::getFields, Class::getDeclaredFields,
            Class::getDeclaredConstructors, Class::getDeclaredMethods);

    public static void main(String[] arguments) throws IOException {
        int at = 0;
        boolean boot = arguments[at].equals("-boot");
        if (boot) {
            at++;
        }
        Path input = Paths.get(arguments[at]);
        ClassLoader loader = ClassLoader.getSystemClassLoader();
        if (!boot) {
            List<URL> urls = new ArrayList<URL>();
            for (int i = at; i < arguments.length; i++) {
                urls.add(new File(arguments[i]).toURI().toURL());
            }
            loader = new ChildFirst(urls.toArray(new URL[0]));
        }
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String name : classNames(input)) {
            out.println(name + " " + link(name, loader));
        }
        out.flush();
        System.exit(0); /* whatever threads the classes' loaders may have left */
    }

    private static String link(String name, ClassLoader loader) {
        Class<?> found;
        try {
            found = Class.forName(name, false, loader);
        } catch (LinkageError | ClassNotFoundException | RuntimeException e) {
            return describe(e);
        }
        /* Each of these links first and then looks up the types that it lists. A class that links
         * passes one of them unless types are missing in all. */
        Throwable problem = null;
        for (Consumer<Class<?>> lister : LISTERS) {
            try {
                lister.accept(found);
                return "ok";
            } catch (LinkageError | RuntimeException e) {
                problem = e;
            }
        }
        return describe(problem);
    }

    /** Without what differs between runs: addresses, and which of several missing classes it is. */
    private static String describe(Throwable problem) {
        String kind = problem.getClass().getSimpleName();
        return problem instanceof NoClassDefFoundError ? kind
                : kind + ": " + String.valueOf(problem.getMessage()).split("\n", 2)[0]
                        .replaceAll("@[0-9a-fx]+", "@");
    }

    private static TreeSet<String> classNames(Path input) throws IOException {
        final TreeSet<String> names = new TreeSet<String>();
        if (Files.isDirectory(input)) {
            addFolder(input, names);
        } else {
            try (ZipFile zip = new ZipFile(input.toFile())) {
                Enumeration<? extends ZipEntry> entries = zip.entries();
                while (entries.hasMoreElements()) {
                    addName(entries.nextElement().getName(), names);
                }
            }
        }
        return names;
    }

    private static void addFolder(final Path root, final TreeSet<String> names) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                addName(root.relativize(file).toString(), names);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** The rest of a multi-release jar, META-INF/versions, is out of a plain class loader's sight. */
    private static void addName(String path, TreeSet<String> names) {
        if (path.endsWith(".class") && !path.startsWith("META-INF/")
                && !path.endsWith("module-info.class")) {
            names.add(path.substring(0, path.length() - 6).replace('/', '.'));
        }
    }

    /** The input and the class path before everything else; java.* is the JDK's alone. */
    private static final class ChildFirst extends URLClassLoader {
        ChildFirst(URL[] urls) {
            super(urls, ClassLoader.getSystemClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> found = findLoadedClass(name);
                if (found == null && !name.startsWith("java.")) {
                    try {
                        found = findClass(name);
                    } catch (ClassNotFoundException e) {
                        found = null;
                    }
                }
                return found != null ? found : super.loadClass(name, resolve);
            }
        }
    }
}
