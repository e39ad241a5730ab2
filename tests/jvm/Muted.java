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

    static byte[] table() throws Exception {
        java.lang.reflect.Field table = MethodBeat.class.getDeclaredField("MUTED");
        table.setAccessible(true);
        return (byte[]) table.get(null);
    }

    /** arguments: the id of tiny, the traces of the second and the third recording. */
    public static void main(String[] args) throws Exception {
        int id = Integer.parseInt(args[0]);
        Thread other = new Thread(() -> around(20_000_000L), "other");
        other.start();
        do {
            around(10_000_000L);
        } while (table()[id] == 0);
        other.join();
        System.out.println("muted");
        for (int k = 0; k < 200_000; k++) {
            few(); // until it is compiled with what it knows by now
        }
        MethodBeat.stop();
        MethodBeat.start("file=" + args[1], "throttle=off");
        System.out.println(table()[id] != 0 ? "still muted" : "speaks again");
        few();
        table()[id] = 0; // as nobody but this test does
        few();
        MethodBeat.stop();
        MethodBeat.start("file=" + args[2], "profile=off");
        few();
    }
}
