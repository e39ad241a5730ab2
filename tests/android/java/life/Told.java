package life;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import methodbeat.Monitors;

/** What the monitors told: FACT name value. */
final class Told {
    private static final List<Monitors.Issue> ISSUES = new CopyOnWriteArrayList<>();
    private static final Map<String, Semaphore> HEARD = new ConcurrentHashMap<>();

    static void fact(String name, Object value) {
        System.out.println("FACT " + name + " " + value);
    }

    static void listen() {
        Monitors.listen(issue -> {
            ISSUES.add(issue);
            heard(issue.detail).release();
        });
    }

    private static Semaphore heard(String detail) {
        return HEARD.computeIfAbsent(detail, name -> new Semaphore(0));
    }

    /** The next one of that detail was heard. */
    static void await(String detail) {
        try {
            if (!heard(detail).tryAcquire(2, TimeUnit.MINUTES)) {
                throw new AssertionError("no " + detail);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Which screen is shown now: an issue of our own says it. */
    static void ask(String step) {
        long before = System.nanoTime();
        if (!Monitors.issue("STEP", step, null)) {
            throw new AssertionError(step + " cannot be told");
        }
        fact("asked", step + " " + before + " " + System.nanoTime());
        await("STEP");
    }

    static void print() {
        for (Monitors.Issue issue : ISSUES) {
            fact("issue", issue.json);
        }
    }

    private Told() {}
}
