import methodbeat.MethodBeat;

/** Calls that are many and short, inside long ones, before and after a restart; each act counts. */
public class Muted {
    static int sink;

    static int tiny(int n) {
        sink = Math.max(sink / 2, n); // without a call it would have no probe
        return sink;
    }

    /** Open while tiny falls silent. */
    static void around(long ns) {
        long end = System.nanoTime() + ns;
        while (System.nanoTime() < end) {
            for (int k = 0; k < 10_000; k++) {
                tiny(k);
            }
        }
    }

    static void few() {
        for (int k = 0; k < 100; k++) {
            tiny(k);
        }
    }

    static boolean isMuted(int id) throws Exception {
        java.lang.reflect.Field table = MethodBeat.class.getDeclaredField("MUTED");
        table.setAccessible(true);
        return ((byte[]) table.get(null))[id] != 0;
    }

    /** arguments: the id of tiny, the trace of the second recording. */
    public static void main(String[] args) throws Exception {
        int id = Integer.parseInt(args[0]);
        Thread other = new Thread(() -> around(20_000_000L), "other");
        other.start();
        do {
            around(10_000_000L);
        } while (!isMuted(id));
        other.join();
        System.out.println("muted");
        few();
        MethodBeat.stop();
        MethodBeat.start("file=" + args[1], "throttle=off");
        System.out.println(isMuted(id) ? "still muted" : "speaks again");
        few();
    }
}
