import java.util.Arrays;
import methodbeat.Monitors;

/** What begin and end of a message cost while nothing is wrong, beside the same loop without them. */
public class MessageLoop {
    private static final int MESSAGES = 1000000;
    private static int sink;

    private static double plain() {
        long start = System.nanoTime();
        for (int i = 0; i < MESSAGES; i++) {
            sink = sink * 31 + i;
        }
        return (double) (System.nanoTime() - start) / MESSAGES;
    }

    private static double watched() {
        long start = System.nanoTime();
        for (int i = 0; i < MESSAGES; i++) {
            Monitors.begin();
            sink = sink * 31 + i;
            Monitors.end();
        }
        return (double) (System.nanoTime() - start) / MESSAGES;
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        double[] pairs = new double[rounds];
        if (!Monitors.start()) {
            return;
        }
        for (int i = 0; i < 10; i++) { // compiled
            plain();
            watched();
        }
        for (int i = 0; i < rounds; i++) {
            pairs[i] = -plain() + watched();
        }
        Monitors.stop();
        Arrays.sort(pairs);
        System.out.printf("message of a loop: begin and end through JNI %.1f ns (%.1f to %.1f)%n",
                pairs[rounds / 2], pairs[0], pairs[rounds - 1]);
    }
}
