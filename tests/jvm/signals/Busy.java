/** Works in one thread and waits in another, so long; loads the library that is named, if one is. */
public class Busy {
    static volatile long sink;

    static void work(long end) {
        while (System.nanoTime() < end) {
            for (int i = 0; i < 10000; i++) {
                sink += i ^ sink >> 3;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 1) {
            System.load(args[1]);
        }
        System.out.println("ready");
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        Thread worker = new Thread(() -> work(end), "worker");
        worker.start();
        worker.join();
        System.out.println("ended");
        System.exit(0);
    }
}
