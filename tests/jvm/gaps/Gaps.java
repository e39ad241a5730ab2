import methodbeat.MethodBeat;

import java.util.Scanner;

/**
 * Many short calls that take most of the time, and long ones beside them; the program's own clock tells both apart.
 *
 * <p>usage: Gaps; "restart TRACE" begins another recording, "end" prints the nanoseconds of all calls of hot and cold.
 */
public class Gaps {
    static final int[] TABLE = new int[256];
    static volatile boolean goesOn = true;
    static volatile int sink;
    static volatile long hotNs;
    static volatile long coldNs;

    /** What no compiler can do in fewer steps. */
    static int hot(int n) {
        int x = n;
        for (int k = 0; k < 25; k++) {
            x = x * 31 ^ TABLE[x >>> 8 & 255];
        }
        return x;
    }

    static void batch() {
        int x = 0;
        for (int k = 0; k < 20_000; k++) {
            x += hot(x + k);
        }
        sink = x;
    }

    static void cold() {
        int x = sink;
        for (int k = 0; k < 300_000; k++) {
            x = x * 31 ^ TABLE[x >>> 8 & 255];
        }
        sink = x;
    }

    static void work() {
        while (goesOn) {
            long start = System.nanoTime();
            batch();
            long middle = System.nanoTime();
            cold();
            long end = System.nanoTime();
            hotNs += middle - start;
            coldNs += end - middle;
        }
    }

    static void restart(String trace) throws Exception {
        MethodBeat.stop();
        MethodBeat.start("file=" + trace);
    }

    public static void main(String[] args) throws Exception {
        for (int k = 0; k < TABLE.length; k++) {
            TABLE[k] = k * k;
        }
        Thread worker = new Thread(Gaps::work, "worker");
        worker.setDaemon(true); // or it outlives a test that fails
        worker.start();
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        for (String line = in.nextLine(); !line.equals("end"); line = in.nextLine()) {
            restart(line.split(" ")[1]);
            System.out.println("restarted");
        }
        goesOn = false;
        worker.join();
        System.out.println(hotNs + " " + coldNs);
    }
}
