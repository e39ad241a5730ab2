package requests;

import android.app.Activity;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.view.Choreographer;
import android.widget.TextView;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** Messages of three kinds, then frames, more of which are late than are slow of any other kind. */
public final class Screen extends Activity implements Consumer<Runnable> {
    private static final int LATE = 6; // one frame of that number

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        setContentView(new TextView(this));
    }

    @Override
    public void accept(Runnable leave) {
        new Thread(() -> play(leave), "play").start();
    }

    private static void play(Runnable leave) {
        Handler main = new Handler(Looper.getMainLooper());
        CountDownLatch drawn = new CountDownLatch(1);
        try {
            Shop.send(() -> settle(main));
            Shop.Drawing drawing = new Shop.Drawing(Shop.COUNT, LATE, drawn::countDown);
            main.post(() -> Choreographer.getInstance().postFrameCallback(drawing));
            drawn.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        settle(main);
        Shop.leave();
        leave.run();
    }

    private static void settle(Handler main) {
        CountDownLatch settled = new CountDownLatch(1);
        main.post(settled::countDown);
        try {
            settled.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
