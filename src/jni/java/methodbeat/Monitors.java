package methodbeat;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/**
 * Watches the loops of a program and speaks up: slow messages, loops that lag, do not respond or hang,
 * with the stack that explains them.
 *
 * <pre>
 * Monitors.start("spool=/var/spool/app");      // or -Dmethodbeat.spool=/var/spool/app
 * executor = Monitors.wrap(executor);          // or Monitors.swing(), or begin() and end()
 * </pre>
 *
 * <p>Settings are those of the manual's "Settings of the monitors", as properties -Dmethodbeat.NAME, in
 * the environment as METHODBEAT_NAME, or given to start. Where the library cannot be had the monitors
 * are off, with one line that says so, and every method returns at once. None throws.
 *
 * <p>Each platform thread may have a loop; virtual ones are not watched.
 */
public final class Monitors {
    /** Called with each issue, on the library's thread, which it may keep waiting. May stop the monitors. */
    public interface Listener {
        void onIssue(Issue issue);
    }

    /** One that was found. */
    public static final class Issue {
        /** NORMAL (a slow message), LAG, ANR, HANG, OFTEN, CPU, or the program's own. */
        public final String detail;

        /** normal, unseen, stopped or killed. */
        public final String ended;

        /** Time that it stood still. */
        public final long costNanos;

        /** All of it, with the keys of Matrix's TraceCanary. */
        public final String json;

        /** Where it is; null: in no file. */
        public final String file;

        /** It is marked for report: setting report_share. */
        public final boolean isReported;

        Issue(String detail, String ended, long costNanos, String json, String file,
                boolean isReported) {
            this.detail = detail;
            this.ended = ended;
            this.costNanos = costNanos;
            this.json = json;
            this.file = file;
            this.isReported = isReported;
        }
    }

    private static final CopyOnWriteArrayList<Listener> LISTENERS = new CopyOnWriteArrayList<>();

    /** Once they were started: ends of what began while they ran must get through. */
    static volatile boolean wereStarted;

    /** What feeds them beside the program, and stops with them; null: nothing. */
    static volatile Runnable whenStopped;

    /** True if they run. Settings "name=value" go before properties, these before the environment. */
    public static boolean start(String... settings) {
        try {
            if (!Library.LOADED || !NativeMonitors.start(Settings.forMonitors(settings),
                    Settings.processName())) {
                return false;
            }
            wereStarted = true;
            return true;
        } catch (Throwable e) { // a fault of methodbeat must not become the program's
            Log.say("no monitors", e);
            return false;
        }
    }

    /** Returns when all is written; at once if a listener calls it. */
    public static void stop() {
        try {
            Runnable feeder = whenStopped;
            if (feeder != null) {
                feeder.run();
            }
            if (wereStarted) {
                NativeMonitors.stop();
            }
        } catch (Throwable e) {
            Log.say("the monitors cannot be stopped", e);
        }
    }

    public static boolean isRunning() {
        return wereStarted && NativeMonitors.isRunning();
    }

    /** Change a setting, now or for the next start. False, with a line, if it is not understood. */
    public static boolean set(String name, String value) {
        try {
            return Library.LOADED && NativeMonitors.set(name, value);
        } catch (Throwable e) {
            Log.say("no setting", e);
            return false;
        }
    }

    /** A message of the calling thread's loop begins. end must follow, in a finally. */
    public static void begin() {
        begin(null);
    }

    public static void end() {
        end(null);
    }

    static void begin(Pinger pinger) {
        if (wereStarted) {
            if (NativeMonitors.begin()) {
                describe(pinger);
            }
        }
    }

    static void end(Object message) {
        if (wereStarted) {
            NativeMonitors.end(message);
        }
    }

    /** Each run of it is a message. */
    public static Runnable wrap(Runnable task) {
        return WatchedTask.of(task, null);
    }

    /** An executor whose tasks are messages. */
    public static Executor wrap(final Executor executor) {
        return new Executor() {
            @Override
            public void execute(Runnable task) {
                executor.execute(wrap(task));
            }
        };
    }

    /**
     * A service whose tasks are messages. Its queue and its handlers see them wrapped; wrapped tasks compare
     * as theirs do, but a Comparator of the program's own does not know them: there, wrap the run methods.
     */
    public static ExecutorService wrap(ExecutorService service) {
        return new WatchedService(service, null);
    }

    /**
     * A service of one thread, such as newSingleThreadExecutor, whose tasks are messages. What its thread
     * does outside of them is found too: when it uses CPU time there it is asked for a sign of life, by a
     * task of the library's.
     */
    public static ExecutorService wrapSingle(ExecutorService service) {
        return new WatchedService(service, new ServicePinger(service));
    }

    /** Watch the event thread of Swing and AWT. False, with a line, if absent. */
    public static boolean swing() {
        try {
            SwingLoop.push();
            return true;
        } catch (Throwable e) {
            Log.say("Swing is not watched", e);
            return false;
        }
    }

    /** Which screen is shown, and whether the program is in the foreground (default: yes). */
    public static void scene(String name, boolean isForeground) {
        try {
            if (Library.LOADED) {
                NativeMonitors.scene(name, isForeground);
            }
        } catch (Throwable e) {
            Log.say("no scene", e);
        }
    }

    /**
     * Tell an issue of the program's own: written, counted, limited and heard as ours are.
     *
     * @param detail what it is: 1 to 31 letters, digits, '_', '.' and '-', and not one of methodbeat's
     * @param key issues of one detail and key belong together; at most 127 bytes, or null
     * @param json any JSON value of at most 65,535 bytes, or null
     * @return false, with a line that says why, if one is not so; also while the monitors do not run, or
     *     when 32 are on their way
     */
    public static boolean issue(String detail, String key, String json) {
        try {
            return wereStarted && NativeMonitors.issue(detail, key, json);
        } catch (Throwable e) {
            Log.say("no issue", e);
            return false;
        }
    }

    public static boolean listen(Listener listener) {
        try {
            if (listener == null || !Library.LOADED || !NativeMonitors.listen()) {
                return false;
            }
            LISTENERS.addIfAbsent(listener);
            return true;
        } catch (Throwable e) {
            Log.say("the listener was not added", e);
            return false;
        }
    }

    /** It may still be called once, by a thread that has begun to. */
    public static void unlisten(Listener listener) {
        LISTENERS.remove(listener);
    }

    static void tell(Issue issue) {
        for (Listener listener : LISTENERS) {
            try {
                listener.onIssue(issue);
            } catch (Throwable e) {
                Log.say("a listener of issues failed", e);
            }
        }
    }

    /** A thread's first message. */
    private static void describe(Pinger pinger) {
        try {
            Thread thread = Thread.currentThread();
            if (thread.getClass() != Library.VIRTUAL_THREAD) {
                NativeMonitors.describe(thread, thread.getName(), pinger);
                NativeMonitors.begin();
            }
        } catch (Throwable e) {
            Log.say("a thread is not watched", e);
        }
    }

    private Monitors() {}
}
