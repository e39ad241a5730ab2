package methodbeat;

/** A program that draws, as the library's own Java would tell it. */
public final class Screens {
    private static final long MS = 1000000;
    private static final int BARS = 9;

    private static void start(long begin) {
        NativeMonitors.app(0, begin, 0);
        NativeMonitors.app(3, begin + 100 * MS, 1);
        NativeMonitors.app(4, begin + 300 * MS, 159);
        NativeMonitors.activity(0, 7, "a.b.Main", begin + 320 * MS, true);
        NativeMonitors.activity(2, 7, "a.b.Main", begin + 330 * MS, false);
        NativeMonitors.activity(6, 7, "a.b.Main", begin + 700 * MS, false);
        NativeMonitors.activity(7, 7, null, begin + 710 * MS, false);
    }

    private static void draw(long begin, int count) {
        long[] frame = new long[16];
        for (int i = 0; i < count; i++) {
            frame[0] = begin + i * (1000 * MS / 60);
            frame[2] = 10 * MS;
            frame[11] = 8 * MS;
            if (!NativeMonitors.frame(frame)) {
                System.out.println("REFUSED " + i);
            }
        }
    }

    /** Issues on standard output, a line each. */
    public static void main(String[] args) {
        int[] shown = new int[64];
        Monitors.listen(issue -> System.out.println("ISSUE " + issue.json));
        Monitors.start("fps_hitch_ms=0", "cpu_enable=0");
        long begin = System.nanoTime() - 5000 * MS;
        start(begin);
        System.out.println("OVERLAY " + NativeMonitors.overlay(begin, shown));
        draw(begin + 1000 * MS, 120);
        System.out.println("OVERLAY " + NativeMonitors.overlay(begin + 3000 * MS, shown));
        System.out.println("SHOWN " + shown[0] + " " + shown[1] + " " + shown[2] + " " + (shown[8] > 5)
                + " " + (shown[BARS] >> 8) + " " + (shown[BARS] & 255));
        System.out.println("SHORT " + NativeMonitors.frame(new long[15]) + " "
                + NativeMonitors.frame(null) + " " + NativeMonitors.overlay(0, new int[63]) + " "
                + NativeMonitors.overlay(0, null));
        NativeMonitors.activity(99, 0, "a.b.Main", -1, false);
        NativeMonitors.app(-1, Long.MIN_VALUE, -1);
        Monitors.stop();
        System.out.println("DONE");
    }

    private Screens() {}
}
