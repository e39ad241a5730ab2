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
        default:
            Pauses.loop(400);
            break;
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
