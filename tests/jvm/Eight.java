import java.io.IOException;

/** Eight threads that call without end, until standard input says otherwise. */
public class Eight {
    static volatile int sink;

    static void leaf() {
        sink++;
        if (sink < 0) {
            sink = 0;
        }
    }

    static void branch() {
        for (int k = 0; k < 100; k++) {
            leaf();
        }
    }

    static void grow() {
        try {
            while (true) {
                branch();
                Thread.sleep(0, 100_000);
            }
        } catch (InterruptedException e) {
            // never
        }
    }

    public static void main(String[] args) throws IOException {
        for (int k = 0; k < 8; k++) {
            Thread thread = new Thread(Eight::grow, "tree " + k);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        System.in.read();
        System.out.println("done");
    }
}
