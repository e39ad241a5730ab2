/** A worker that began before main, and main itself, call without end; or main ends at once. */
public class Loops {
    static volatile int sink;

    static void turn(int rounds) {
        for (int k = 0; k < rounds; k++) {
            sink += k;
        }
    }

    static void early() {
        turn(1000);
    }

    static void late() {
        turn(1000);
    }

    public static void main(String[] arguments) throws Exception {
        boolean ends = arguments.length > 0;
        Thread worker = new Thread(() -> {
            while (true) {
                early();
            }
        }, "worker");
        worker.setDaemon(!ends);
        worker.start();
        System.out.println("ready");
        Thread reader = new Thread(() -> {
            try {
                System.in.read();
            } catch (java.io.IOException e) {
                // as at the end
            }
            System.out.println("ended");
            System.exit(7);
        }, "reader");
        reader.start();
        while (!ends) {
            Thread.sleep(1);
            late();
        }
    }
}
