/** Works until it is told to end, and says each tenth of a second how far it is. */
public class Server {
    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int request(int n) {
        try {
            return n % 10 == 0 ? refuse(n) : fib(16);
        } catch (IllegalStateException e) {
            return -1;
        }
    }

    static int refuse(int n) {
        throw new IllegalStateException("number " + n);
    }

    static void serve(int number) {
        for (int n = 0;; n++) {
            request(n);
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 4; i++) {
            int number = i;
            Thread thread = new Thread(() -> serve(number), "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        System.in.read();
        System.out.println("ended");
        System.exit(7);
    }
}
