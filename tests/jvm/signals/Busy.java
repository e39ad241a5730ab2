/** Works in one thread and waits in another, so many ms, or until its input ends; loads the library that is named, if one is, or works and
 * then loads it. */
public class Busy {
    static volatile long sink;
    static volatile boolean isOver;

    static void work(long end) {
        while (System.nanoTime() < end && !isOver) {
            for (int i = 0; i < 10000; i++) {
                sink += i ^ sink >> 3;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        boolean isLast = args.length > 2;
        if (args.length > 1 && !isLast) {
            System.load(args[1]);
        }
        System.out.println("ready");
        long ms = Long.parseLong(args[0]);
        long end = ms == 0 ? Long.MAX_VALUE : System.nanoTime() + ms * 1_000_000;
        if (isLast) {
            work(end);
            System.load(args[1]);
        }
        Thread worker = new Thread(() -> work(end), "worker");
        worker.start();
        if (ms == 0) {
            System.in.read();
            isOver = true;
        }
        worker.join();
        System.out.println("ended");
        System.exit(0);
    }
}
