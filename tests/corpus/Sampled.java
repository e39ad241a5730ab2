import java.util.concurrent.CountDownLatch;
import methodbeat.Monitors;

/** A message that stands still below methods that a shrinker inlines; prints its issue. */
public final class Sampled {
    private static final CountDownLatch HEARD = new CountDownLatch(1);

    private Sampled() {
    }

    public static void main(String[] args) throws Exception {
        Monitors.listen(new Monitors.Listener() {
            @Override
            public void onIssue(Monitors.Issue issue) {
                System.out.println(issue.json);
                HEARD.countDown();
            }
        });
        Monitors.start("stall_ms=100:400", "cpu_enable=0");
        Monitors.begin();
        descend(args.length + 3);
        Monitors.end();
        HEARD.await();
        Monitors.stop();
    }

    /** Calls itself, so it is inlined nowhere. */
    private static void descend(int depth) throws InterruptedException {
        if (depth > 0) {
            descend(depth - 1);
            return;
        }
        new Basket(600).empty();
    }

    private static final class Basket {
        private final int ms;

        Basket(int ms) {
            this.ms = ms;
        }

        void empty() throws InterruptedException {
            rest();
        }

        private void rest() throws InterruptedException {
            Thread.sleep(ms);
        }
    }
}
