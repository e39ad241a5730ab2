import java.awt.EventQueue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Exceptions that the JDK's own code catches: each part makes calls that throw after a little work, and
 * calls that work, in turn, on threads that go on. What they cost is counted in calls of leaf, so that it
 * is the same in each run. The arguments are the parts to do.
 */
public final class Frameworks {
    private static final int ROUNDS = 200;
    private static final int LITTLE = 10;
    private static final int MUCH = 40;

    private static long sum;

    private static void leaf() {
        sum += System.nanoTime() & 1;
    }

    static void work(int units) {
        for (int i = 0; i < units; i++) {
            leaf();
        }
    }

    static void fail() {
        work(LITTLE);
        failDeeper();
    }

    private static void failDeeper() {
        work(1);
        throw new IllegalStateException("as it should");
    }

    static void task() {
        work(MUCH);
    }

    // ---- Threads of pools ----

    private static void await(Future<?> future) throws InterruptedException {
        try {
            future.get();
        } catch (ExecutionException e) {
            leaf();
        }
    }

    static final class Failing implements Callable<String> {
        @Override
        public String call() {
            fail();
            return "never";
        }
    }

    private static void pool() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        for (int i = 0; i < ROUNDS; i++) {
            await(i % 2 == 0 ? pool.submit(new Failing()) : pool.submit(Frameworks::fail));
            await(pool.submit(() -> task()));
        }
        pool.shutdown();
        pool.awaitTermination(9, TimeUnit.SECONDS);
    }

    /** Its threads die of what execute throws; afterExecute, which is overridden, throws too. */
    static final class Hooked extends ThreadPoolExecutor {
        Hooked() {
            super(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Override
        protected void afterExecute(Runnable done, Throwable thrown) {
            work(LITTLE);
            if (thrown == null) {
                failDeeper();
            }
        }
    }

    private static void hooked() throws Exception {
        ExecutorService pool = new Hooked();
        for (int i = 0; i < ROUNDS; i++) {
            pool.execute(i % 2 == 0 ? Frameworks::fail : Frameworks::task);
        }
        pool.shutdown();
        pool.awaitTermination(9, TimeUnit.SECONDS);
    }

    private static void completable() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        for (int i = 0; i < ROUNDS; i++) {
            await(CompletableFuture.runAsync(Frameworks::fail, pool)
                    .handleAsync((done, thrown) -> recover(thrown), pool)
                    .thenAcceptAsync(done -> fail(), pool));
            await(CompletableFuture.runAsync(Frameworks::task, pool));
        }
        pool.shutdown();
    }

    private static String recover(Throwable thrown) {
        work(LITTLE);
        return String.valueOf(thrown);
    }

    static final class Forking extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        private final int depth;

        Forking(int depth) {
            this.depth = depth;
        }

        @Override
        protected Integer compute() {
            if (depth == 0) {
                fail();
            }
            work(LITTLE);
            Forking inner = new Forking(depth - 1);
            inner.fork();
            return inner.join();
        }
    }

    private static void forking() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(1);
        for (int i = 0; i < ROUNDS; i++) {
            await(pool.submit(new Forking(3)));
            await(pool.submit(Frameworks::task));
        }
        pool.shutdown();
    }

    private static void timer() throws Exception {
        for (int i = 0; i < ROUNDS / 10; i++) { // each dies of what its task throws
            Timer timer = new Timer();
            CompletableFuture<Void> done = new CompletableFuture<>();
            timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    task();
                }
            }, 0);
            timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    done.complete(null);
                    fail();
                }
            }, 1);
            await(done);
        }
    }

    private static void scheduled() throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
        for (int i = 0; i < ROUNDS; i++) {
            await(pool.scheduleAtFixedRate(Frameworks::fail, 0, 1, TimeUnit.MICROSECONDS));
            await(pool.schedule(Frameworks::task, 0, TimeUnit.MICROSECONDS));
        }
        pool.shutdown();
        pool.awaitTermination(9, TimeUnit.SECONDS);
    }

    private static void swing() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            EventQueue.invokeLater(Frameworks::fail);
            EventQueue.invokeAndWait(Frameworks::task);
        }
    }

    // ---- Class loaders ----

    /** Knows no class. */
    static final class Missing extends ClassLoader {
        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            work(LITTLE);
            throw new ClassNotFoundException(name);
        }
    }

    /** Its parent does not know the class, as the JDK finds out; nor does it. */
    static final class Child extends URLClassLoader {
        Child(ClassLoader parent) {
            super(new URL[0], parent);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            work(LITTLE);
            return super.findClass(name);
        }
    }

    private static void loaders() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            try {
                Class.forName("no.such.Name" + i, false, new Child(new Child(new Missing())));
            } catch (ClassNotFoundException e) {
                work(MUCH);
            }
        }
    }

    // ---- What the JDK calls on the way ----

    static final class Stored implements Serializable {
        private static final long serialVersionUID = 1;

        private void readObject(ObjectInputStream in) throws IOException {
            work(LITTLE);
            throw new IOException("as it should");
        }
    }

    private static void stored() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(new Stored());
        ExecutorService pool = Executors.newSingleThreadExecutor();
        for (int i = 0; i < ROUNDS; i++) {
            await(pool.submit(() -> new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject()));
            await(pool.submit(Frameworks::task));
        }
        pool.shutdown();
    }

    interface Service {
        void serve();
    }

    static final class Handler implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            fail();
            return null;
        }
    }

    private static void proxies() throws Exception {
        Service service = (Service) Proxy.newProxyInstance(Frameworks.class.getClassLoader(),
                new Class<?>[] {Service.class}, new Handler());
        ExecutorService pool = Executors.newSingleThreadExecutor();
        for (int i = 0; i < ROUNDS; i++) {
            await(pool.submit(service::serve));
            await(pool.submit(Frameworks::task));
        }
        pool.shutdown();
    }

    private static void threads() throws Exception {
        for (int i = 0; i < ROUNDS / 4; i++) {
            Thread thread = new Thread(i % 2 == 0 ? Frameworks::fail : Frameworks::task);
            thread.start();
            thread.join();
        }
    }

    interface Part {
        void run() throws Exception;
    }

    private static Part partOf(String name) {
        switch (name) {
            case "pool": return Frameworks::pool;
            case "hooked": return Frameworks::hooked;
            case "completable": return Frameworks::completable;
            case "forking": return Frameworks::forking;
            case "timer": return Frameworks::timer;
            case "scheduled": return Frameworks::scheduled;
            case "swing": return Frameworks::swing;
            case "loaders": return Frameworks::loaders;
            case "stored": return Frameworks::stored;
            case "proxies": return Frameworks::proxies;
            case "threads": return Frameworks::threads;
            default: throw new IllegalArgumentException(name);
        }
    }

    public static void main(String[] parts) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> { });
        for (String part : parts) {
            partOf(part).run();
        }
        System.out.println("done");
    }

    private Frameworks() {}
}
