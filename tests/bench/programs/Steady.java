/** The same work each time, below so many calls: THREADS DEPTH ROUNDS. */
public class Steady {
    static volatile long sink;

    static long deep(int depth) {
        long value = depth;
        for (int i = 0; depth == 0 && i < 1000000; i++) {
            value = value * 31 + (i ^ value >> 3);
        }
        return depth > 0 ? deep(depth - 1) + 1 : value;
    }

    public static void main(String[] arguments) {
        Runnable work = () -> {
            for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
                sink += deep(Integer.parseInt(arguments[1]));
            }
        };
        for (int i = 1; i < Integer.parseInt(arguments[0]); i++) {
            new Thread(work).start();
        }
        work.run();
    }
}
