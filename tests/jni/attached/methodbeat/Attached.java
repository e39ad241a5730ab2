package methodbeat;

import android.app.Application;

/** Works for a second on main and as long on a thread that was there before, with probes of its own. */
public final class Attached {
    private static volatile int sink;
    private static volatile boolean isOver;

    static void spin(long ms) {
        long end = System.nanoTime() + ms * 1000000;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 200000; i++) {
                sink = sink * 31 + i;
            }
        }
    }

    static void work() {
        while (!isOver) {
            spin(20);
        }
    }

    static void traced() {
        MethodBeat.i(1);
        try {
            spin(1000);
        } finally {
            MethodBeat.o(1);
        }
    }

    public static void main(String[] settings) throws Exception {
        System.setProperty("java.vm.name", "Dalvik"); // what Android says of itself
        Thread before = new Thread(Attached::work, "there before");
        before.start();
        System.out.println("recorded " + MethodBeat.start(settings));
        MethodBeat.i(2);
        MethodBeat.o(2);
        Agent28.attach(new Application());
        Agent28.attach(new Application());
        Thread after = new Thread(Attached::work, "a thread whose name is long");
        after.start();
        traced();
        isOver = true;
        before.join();
        after.join();
        MethodBeat.stop();
    }

    private Attached() {}
}
