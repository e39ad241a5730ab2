package sample;

/** synchronized methods and blocks, left by return and by exception. */
public class Synchronized {
    private int count;

    synchronized int step() {
        return ++count;
    }

    static synchronized String still(String word) {
        return word.trim();
    }

    int block(boolean fails) {
        synchronized (this) {
            if (fails) {
                throw new IllegalStateException("inside");
            }
            return step();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Synchronized shared = new Synchronized();
        try {
            shared.block(true);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage() + Thread.holdsLock(shared));
        }
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int n = 0; n < 500; n++) {
                    shared.block(false);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(shared.step() + still(" x "));
    }
}
