import java.io.File;
import java.lang.invoke.MethodHandles;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Classes that come and go in ways of their own; what it prints is the same each time. */
public class Guests {
    static final int LOADERS = 1000;
    static final int THREADS = 8;
    static final int MANY = 200;

    static int call(Class<?> type, int n) throws Exception {
        Method work = type.getMethod("work", int.class);
        work.setAccessible(true); // its class may not be public
        return (int) work.invoke(null, n);
    }

    static URLClassLoader apart() throws Exception {
        return new URLClassLoader(new URL[] {new File("apart").toURI().toURL()}, null);
    }

    static void loaders() throws Exception {
        int sum = 0;
        for (int i = 0; i < LOADERS; i++) {
            URLClassLoader loader = apart();
            sum += call(loader.loadClass("Guest"), 3);
            loader.close();
            if (i % 200 == 199) {
                System.gc();
            }
        }
        long unloaded = ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount();
        System.out.println("loaders: " + sum + (unloaded > LOADERS / 2 ? "" : ", but they stay"));
    }

    static void parallel() throws Exception {
        URLClassLoader loader = apart();
        CountDownLatch start = new CountDownLatch(1);
        AtomicInteger sum = new AtomicInteger();
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> {
                try {
                    start.await();
                    for (int n = 0; n < MANY; n++) {
                        sum.addAndGet(call(loader.loadClass("Many" + n), 2));
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            });
            threads[i].start();
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("parallel: " + sum);
    }

    static void hidden() throws Exception {
        byte[] code = Files.readAllBytes(Path.of("apart/Guest.class"));
        System.out.println("hidden: " + call(MethodHandles.lookup().defineHiddenClass(code, true).lookupClass(), 9));
    }

    static int swapped() {
        int sum = 0;
        for (int i = 0; i < 100; i++) {
            sum += Swapped.value();
        }
        return sum;
    }

    static void swap() throws Exception {
        int before = swapped();
        Meddler.replace(Swapped.class, Files.readAllBytes(Path.of("next/Swapped.class")));
        int meanwhile = swapped();
        Meddler.replace(Swapped.class, Files.readAllBytes(Path.of("classes/Swapped.class")));
        System.out.println("swapped: " + before + " " + meanwhile + " " + swapped());
    }

    static void broken() {
        try {
            System.out.println(Broken.value());
        } catch (ClassFormatError e) {
            System.out.println("broken");
        }
    }

    public static void main(String[] words) throws Exception {
        loaders();
        parallel();
        hidden();
        swap();
        broken();
        System.out.println("unfit: " + Unfit.value());
        if (words.length > 0) {
            System.out.println("ready");
            while (System.in.available() == 0) {
                swapped();
                Thread.sleep(1);
            }
        }
        System.exit(5);
    }
}
