package published;

import android.app.Application;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import methodbeat.AndroidMonitors;
import methodbeat.MethodBeat;
import methodbeat.Monitors;

/** Starts the monitors as an app does; at each step an issue of its own says which screen is shown. */
public class Watched extends Application {
    private final List<Monitors.Issue> issues = new CopyOnWriteArrayList<>();
    private final Semaphore stepped = new Semaphore(0);

    @Override
    public void onCreate() {
        super.onCreate();
        Monitors.listen(issue -> {
            issues.add(issue);
            if (issue.detail.equals("STEP")) {
                stepped.release();
            }
        });
        MethodBeat.listen((activity, hasFocus) -> Published.fact("focus",
                activity.getClass().getSimpleName() + " " + hasFocus));
        Published.fact("watched", AndroidMonitors.start(this));
        Published.steps = this::step;
    }

    private void step(String name) {
        if (name.equals(Published.END)) {
            Monitors.stop(); // here: it waits until all is written
            for (Monitors.Issue issue : issues) {
                Published.fact("issue", issue.json);
            }
            return;
        }
        try {
            if (!Monitors.issue("STEP", name, null) || !stepped.tryAcquire(2, TimeUnit.MINUTES)) {
                throw new AssertionError(name + " is not told");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
