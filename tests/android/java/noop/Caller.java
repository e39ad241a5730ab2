package noop;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import methodbeat.AndroidMonitors;
import methodbeat.MethodBeat;
import methodbeat.Monitors;

/** Calls what an app calls. */
public final class Caller {
    private static int heard;

    public static void main(String[] arguments) {
        int threads = Thread.activeCount();
        MethodBeat.Listener focus = (activity, hasFocus) -> heard++;
        Monitors.Listener issues = issue -> heard += issue.detail.length();
        MethodBeat.listen(focus);
        check(!MethodBeat.start("file=b.mbtrace") && !MethodBeat.isRecording());
        check(!Monitors.start("spool=spool") && !Monitors.isRunning() && !Monitors.listen(issues));
        check(!AndroidMonitors.start(null, "spool=spool", "overlay=on"));
        MethodBeat.i(1);
        MethodBeat.c(1);
        MethodBeat.o(1);
        MethodBeat.at(null, true);
        Monitors.begin();
        Monitors.end();
        Monitors.scene("shown", true);
        AndroidMonitors.fullyDrawn();
        check(!Monitors.issue("TOLD", "key", "{}") && !Monitors.set("stall_ms", "1") && !Monitors.swing());
        check(!MethodBeat.dump("c.mbtrace") && MethodBeat.focused().length == 0);
        wrap();
        Monitors.unlisten(issues);
        MethodBeat.unlisten(focus);
        Monitors.stop();
        MethodBeat.stop();
        check(heard == 0 && Thread.activeCount() == threads && new methodbeat.Uploads("spool", null).run() == 0);
        System.out.println("nothing was recorded");
    }

    /** What is wrapped is what was given. */
    private static void wrap() {
        ExecutorService service = Executors.newSingleThreadExecutor();
        Executor executor = Runnable::run;
        Runnable task = () -> { };
        check(Monitors.wrap(service) == service && Monitors.wrapSingle(service) == service);
        check(Monitors.wrap(executor) == executor && Monitors.wrap(task) == task);
        service.shutdown();
    }

    private static void check(boolean holds) {
        if (!holds) {
            throw new AssertionError();
        }
    }

    private Caller() {}
}
