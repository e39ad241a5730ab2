package desk;

import android.app.Activity;
import java.util.concurrent.locks.LockSupport;

/** A screen whose work takes as long as it is told. */
public class Desk extends Activity {
    /** Calculates. */
    public void work(long ms) {
        long end = System.nanoTime() + ms * 1000000;
        while (System.nanoTime() < end) {
            add(end);
        }
    }

    private static long add(long to) {
        long sum = 0;
        for (int i = 0; i < 100000; i++) {
            sum += to ^ i;
        }
        return sum;
    }

    /** Waits for something. */
    public void await(long ms) {
        long end = System.nanoTime() + ms * 1000000;
        for (long left = ms * 1000000; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
