package methodbeat;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/** The same API where nothing is watched: what is to be wrapped is given back. */
public final class Monitors {
    public interface Listener {
        void onIssue(Issue issue);
    }

    /** There is none. */
    public static final class Issue {
        public final String detail;
        public final String ended;
        public final long costNanos;
        public final String json;
        public final String file;
        public final boolean isReported;

        private Issue() {
            detail = "";
            ended = "";
            costNanos = 0;
            json = "";
            file = null;
            isReported = false;
        }
    }

    public static boolean start(String... settings) {
        return false;
    }

    public static void stop() {}

    public static boolean isRunning() {
        return false;
    }

    public static boolean set(String name, String value) {
        return false;
    }

    public static void begin() {}

    public static void end() {}

    public static Runnable wrap(Runnable task) {
        return task;
    }

    public static Executor wrap(final Executor executor) {
        return executor;
    }

    public static ExecutorService wrap(ExecutorService service) {
        return service;
    }

    public static ExecutorService wrapSingle(ExecutorService service) {
        return service;
    }

    public static boolean swing() {
        return false;
    }

    public static void scene(String name, boolean isForeground) {}

    public static boolean issue(String detail, String key, String json) {
        return false;
    }

    public static boolean listen(Listener listener) {
        return false;
    }

    public static void unlisten(Listener listener) {}

    private Monitors() {}
}
