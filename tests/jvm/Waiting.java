/** Who waits, who works and who is ready: Pauses is traced, what is around it is not. */
class Waiting {
    static volatile long sink;

    /** For so long with a processor, however many others want one. */
    static void burn(long ms) {
        var times = java.lang.management.ManagementFactory.getThreadMXBean();
        long until = times.getCurrentThreadCpuTime() + ms * 1000000;
        while (times.getCurrentThreadCpuTime() < until) {
            sink++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        switch (args[0]) {
        case "around":
            for (int i = 0; i < 4; i++) {
                Pauses.one();
                burn(750);
            }
            break;
        case "twice":
            Pauses.two();
            break;
        case "served":
            for (int i = 0; i < 60; i++) {
                Served.request();
            }
            break;
        default:
            Pauses.loop(400);
            break;
        }
    }
}

/** Of a server: it sleeps shortly, asks another and works, each in a method of its own. */
class Served {
    static void request() throws InterruptedException {
        nap();
        ask();
        work();
    }

    static void nap() throws InterruptedException {
        Thread.sleep(5);
        work();
    }

    /** Reads from a pipe, into which another thread writes. */
    static void ask() throws InterruptedException {
        try {
            var in = new java.io.PipedInputStream();
            var out = new java.io.PipedOutputStream(in);
            new Thread(() -> {
                try {
                    Thread.sleep(7);
                    out.write(1);
                    out.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }).start();
            in.read();
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
        work();
    }

    static void work() {
        for (int i = 0; i < 1000; i++) {
            Waiting.sink++;
        }
    }
}

class Pauses {
    static void one() throws InterruptedException {
        Thread.sleep(500);
        step();
    }

    static void two() throws InterruptedException {
        Thread.sleep(120);
        step();
        Thread.sleep(120);
    }

    static void loop(long ms) {
        Waiting.burn(ms);
        step();
    }

    static void step() {
        for (int i = 0; i < 3; i++) {
            Waiting.sink += i;
        }
    }
}
