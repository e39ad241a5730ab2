import methodbeat.MethodBeat;

/** Probes written by hand, as the instrumenter would insert them; each act prints what it did. */
public class Program {
    private static int leafs;

    private static void leaf(int n) {
        MethodBeat.i(3);
        try {
            if (n == 5) {
                throw new IllegalStateException();
            }
            leafs++;
        } finally {
            MethodBeat.o(3);
        }
    }

    private static void mid() {
        MethodBeat.i(2);
        for (int k = 0; k < 10; k++) {
            try {
                leaf(k);
            } catch (IllegalStateException e) {
                leafs++;
            }
        }
        MethodBeat.o(2);
    }

    private static void mids(int count) {
        for (int k = 0; k < count; k++) {
            mid();
        }
    }

    /** 1 + 22 per mid + 1 records here, 24 on the worker; then what must leave no record. */
    private static void plain() throws InterruptedException {
        MethodBeat.i(1);
        Thread worker = new Thread(() -> {
            MethodBeat.i(7);
            mid();
            MethodBeat.o(7);
        }, "worker");
        worker.start();
        worker.join();
        mids(1000);
        MethodBeat.i(0);
        MethodBeat.o(-5);
        MethodBeat.i(0xFFFFF);
        MethodBeat.i(0x100001);
        MethodBeat.o(1);
    }

    /** Laps the ring until killed; it says so after the first time. */
    private static void endless() {
        mids(50000); // 1,100,000 words
        System.out.println("running");
        while (true) {
            mids(1000);
        }
    }

    private static void restart(String file) {
        mids(10);
        MethodBeat.stop();
        mids(10); // not recorded
        System.out.println(MethodBeat.isRecording());
        MethodBeat.start("file=" + file, "main_words=2000");
        System.out.println(MethodBeat.isRecording());
        mids(20);
        MethodBeat.dump(file + ".dump");
        mids(1);
    }

    private static void confirm(String file) {
        mids(10);
        System.out.println(MethodBeat.start("file=" + file));
        mids(10);
    }

    /** Nobody starts it: after ten seconds it is over, and probes go on doing nothing. */
    private static void released() throws InterruptedException {
        long begin = System.nanoTime();
        mids(10);
        System.out.println(MethodBeat.isRecording());
        while (MethodBeat.isRecording() && System.nanoTime() - begin < 15_000_000_000L) {
            Thread.sleep(10);
        }
        System.out.println(System.nanoTime() - begin >= 10_000_000_000L);
        mids(10);
        System.out.println(MethodBeat.isRecording());
    }

    private static void messages() throws InterruptedException {
        for (int k = 0; k < 5; k++) {
            MethodBeat.i(0xFFFFE);
            mid();
            Thread.sleep(3);
            MethodBeat.o(0xFFFFE);
        }
    }

    private static void late() throws InterruptedException {
        mids(10); // another thread than the one that is to be main
        Thread ui = new Thread(() -> mids(20), "ui");
        ui.start();
        ui.join();
        mids(10);
    }

    public static void main(String[] args) throws Exception {
        String act = args[0];
        if (act.equals("plain")) {
            plain();
        } else if (act.equals("endless")) {
            endless();
        } else if (act.equals("restart")) {
            restart(args[1]);
        } else if (act.equals("confirm")) {
            confirm(args[1]);
        } else if (act.equals("released")) {
            released();
        } else if (act.equals("messages")) {
            messages();
        } else if (act.equals("late")) {
            late();
        } else {
            mids(Integer.parseInt(act));
        }
        System.out.println("done " + leafs);
    }
}
