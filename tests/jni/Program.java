import java.lang.reflect.Field;
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
        MethodBeat.start("file=" + file, "words=2000");
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

    /** The library's table, from behind. */
    private static void mute(int id, boolean mutes) throws Exception {
        Field table = MethodBeat.class.getDeclaredField("MUTED");
        table.setAccessible(true);
        ((byte[]) table.get(null))[id] = (byte) (mutes ? 1 : 0);
    }

    /** 22, 2 and 22 records per mid, in interpreted and in compiled code; 1 is open as it is muted. */
    private static void muted(int count) throws Exception {
        mids(count);
        mute(3, true);
        MethodBeat.i(1);
        mute(1, true);
        mids(count);
        MethodBeat.c(1);
        MethodBeat.c(3);
        MethodBeat.o(1);
        mute(3, false);
        mids(count);
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

    /** Threads with the names that are given, one after the other, then a trace of such a name. */
    private static void names(String folder) throws InterruptedException {
        String[] names = {"caf\u00e9", "\u4f60\u597d", "\ud83d\ude00 smiles", "half \ud83d", "\ude00 half", "\ud83d\ud83d\ude00",
            "a name of sixty-three bytes, the last of which are cut: 789 12\u00e9", "nul \0 within"};
        for (String name : names) {
            Thread thread = new Thread(() -> mids(1), name);
            thread.start();
            thread.join();
        }
        MethodBeat.dump(folder + "/\ud83d\ude00\u00e9.mbtrace");
    }

    private static int deep(int n) {
        MethodBeat.i(4);
        try {
            return deep(n + 1) + 1;
        } finally {
            MethodBeat.o(4);
        }
    }

    /** The stack ends within a probe, now and then. */
    private static void overflow() throws InterruptedException {
        Runnable work = () -> {
            for (int k = 0; k < 20; k++) {
                try {
                    deep(0);
                } catch (StackOverflowError e) {
                    leafs++;
                }
                mids(10);
            }
        };
        Thread small = new Thread(null, work, "small", 400_000);
        small.start();
        small.join();
    }

    /** What the interface is not meant for. */
    private static void misused() {
        System.out.println(MethodBeat.start((String[]) null));
        MethodBeat.start(null, "", "=", "a\0b=c", "file", "flavour=native", "x=\ud800");
        mids(1);
        System.out.println(MethodBeat.dump(null));
        System.out.println(MethodBeat.dump("a\0b"));
        System.out.println(MethodBeat.dump("/"));
        MethodBeat.stop();
        MethodBeat.stop();
    }

    /** A setting that is null ends nothing. */
    private static void none() {
        mids(1);
        MethodBeat.start("tick_ms=5", null);
        mids(1);
    }

    /** Properties that fail when they are read. */
    private static void unreadable() throws InterruptedException {
        java.util.Properties old = System.getProperties();
        System.setProperties(new java.util.Properties() {
            @Override
            public String getProperty(String name) {
                throw new IllegalArgumentException(name);
            }

            @Override
            public java.util.Set<String> stringPropertyNames() {
                throw new IllegalArgumentException();
            }
        });
        try {
            MethodBeat.i(1);
        } finally {
            System.setProperties(old);
        }
        mids(10);
        MethodBeat.o(1);
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
        } else if (act.equals("muted")) {
            muted(10_000);
        } else if (act.equals("messages")) {
            messages();
        } else if (act.equals("late")) {
            late();
        } else if (act.equals("names")) {
            names(args[1]);
        } else if (act.equals("overflow")) {
            overflow();
        } else if (act.equals("misused")) {
            misused();
        } else if (act.equals("none")) {
            none();
        } else if (act.equals("unreadable")) {
            unreadable();
        } else {
            mids(Integer.parseInt(act));
        }
        System.out.println("done " + leafs);
    }
}
