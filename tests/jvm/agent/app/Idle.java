package app;

/** Sleeps for as many milliseconds, with a call for each 10. */
public class Idle {
    static int step(int n) throws InterruptedException {
        Thread.sleep(10);
        for (int i = 0; i < 2; i++) {
            n += i;
        }
        return n;
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int left = args.length > 0 ? Integer.parseInt(args[0]) : 100; left > 0; left -= 10) {
            sum = step(sum);
        }
        if (args.length > 0 || System.getenv("IDLE") == null) {
            System.out.println("ended");
            System.exit(4);
        }
    }
}
