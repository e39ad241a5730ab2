package requests;

import android.app.Application;
import android.os.Handler;
import android.os.Looper;
import android.os.Message;
import android.view.Choreographer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import methodbeat.AndroidMonitors;
import methodbeat.MethodBeat;
import methodbeat.Monitors;

/** Messages and frames of the main thread, some of them slow; each says which, and for what reason. */
public final class Shop extends Application {
    static final int COUNT = 400; // of each kind
    private static final List<String> TOLD = Collections.synchronizedList(new ArrayList<>());
    private static final List<Monitors.Issue> ISSUES = Collections.synchronizedList(new ArrayList<>());
    private static final int ORDER = 1;
    private static final int USER = 2;
    private static final int SLOW = 25; // one of that number
    private static final long PRICES_MS = 60;

    private static final Object PRICES = new Object();

    @Override
    public void onCreate() {
        super.onCreate();
        AndroidMonitors.start(this);
        Monitors.listen(ISSUES::add);
    }

    /** Messages of three kinds, by another thread; settle returns when all that were sent are over. */
    static void send(Runnable settle) throws InterruptedException {
        Handler clicks = new Clicks();
        Handler tasks = new Handler(Looper.getMainLooper());
        for (int i = 1; i <= COUNT; i++) {
            int isSlow = i % SLOW == 0 ? 1 : 0;
            if (isSlow == 1) {
                refreshPrices();
            }
            clicks.sendMessage(clicks.obtainMessage(ORDER, isSlow, 0));
            settle.run();
            clicks.sendMessage(clicks.obtainMessage(USER, isSlow, 0));
            tasks.post(new Sync(isSlow == 1));
            settle.run();
        }
    }

    /** The last of all: FACT kind begin length cause, and the issues. */
    static void leave() {
        Monitors.stop(); // waits until all is told
        MethodBeat.stop();
        for (String told : TOLD) {
            System.out.println("FACT " + told);
        }
        for (Monitors.Issue issue : ISSUES) {
            System.out.println("FACT issue " + issue.json);
        }
    }

    /** For the test: what it was, when it began, how long it took, and what made it slow. */
    static void say(String kind, long begin, String cause) {
        TOLD.add(kind + " " + begin + " " + (System.nanoTime() - begin) + " " + cause);
    }

    /** How long the calling thread has waited for a processor by now, as the kernel counts it. */
    private static long waitedNs() {
        try {
            return Long.parseLong(new String(Files.readAllBytes(Paths.get("/proc/thread-self/schedstat"))).split(" ")[1]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** What all of them do. */
    static void usual(int rounds) {
        long sum = 0;
        for (int i = 0; i < rounds * 20000; i++) {
            sum += i ^ sum << 1;
        }
        if (sum == 42) {
            System.out.println(sum);
        }
    }

    /** So long, whatever the machine; returns the cause, which is the machine if a quarter of it was a wait for a processor. */
    static String score(long ms) {
        long waited = waitedNs();
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < ms * 1000000) {
            usual(1);
        }
        return waitedNs() - waited > ms * 250000 ? "machine" : "score";
    }

    /** Returns the cause, as score does: a runtime may yield for a while before it waits for a lock. */
    static String priceOf() {
        long waited = waitedNs();
        synchronized (PRICES) {
            usual(1);
        }
        return waitedNs() - waited > PRICES_MS * 250000 ? "machine" : "priceOf";
    }

    /** By another thread, which has the lock when it returns. */
    static void refreshPrices() throws InterruptedException {
        CountDownLatch has = new CountDownLatch(1);
        new Thread(() -> hold(has), "price-refresh").start();
        has.await();
    }

    private static void hold(CountDownLatch has) {
        synchronized (PRICES) {
            has.countDown();
            sleep(PRICES_MS);
        }
    }

    /** Of two kinds by their number. */
    static final class Clicks extends Handler {
        Clicks() {
            super(Looper.getMainLooper());
        }

        @Override
        public void handleMessage(Message message) {
            long begin = System.nanoTime();
            usual(10);
            String cause = "-";
            if (message.arg1 > 0 && message.what == ORDER) {
                cause = priceOf();
            } else if (message.arg1 > 0) {
                cause = "fetch";
                sleep(PRICES_MS);
            }
            say(message.what == ORDER ? "order" : "user", begin, cause);
        }
    }

    /** A task that is posted. */
    static final class Sync implements Runnable {
        private final boolean isSlow;

        Sync(boolean isSlow) {
            this.isSlow = isSlow;
        }

        @Override
        public void run() {
            long begin = System.nanoTime();
            usual(10);
            String cause = isSlow ? score(PRICES_MS) : "-";
            say("sync", begin, cause);
        }
    }

    /** Draws, as often as the display does; one of so many frames is slow. */
    static final class Drawing implements Choreographer.FrameCallback {
        private final int count;
        private final int slow;
        private final Runnable whenOver;
        private int drawn;

        Drawing(int count, int slow, Runnable whenOver) {
            this.count = count;
            this.slow = slow;
            this.whenOver = whenOver;
        }

        @Override
        public void doFrame(long frameNs) {
            long begin = System.nanoTime();
            String cause = ++drawn % slow == 0 ? score(PRICES_MS) : "-";
            usual(5);
            if (drawn < count) {
                Choreographer.getInstance().postFrameCallback(this);
            } else {
                whenOver.run();
            }
            say("frame", begin, cause);
        }
    }
}
