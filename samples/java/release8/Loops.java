package sample;

/** Loops, some with their head at the first instruction of the method. */
public class Loops {
    private int left = 3;

    void drain() {
        while (left > 0) {
            step();
        }
    }

    private void step() {
        left = Math.decrementExact(left);
    }

    static int forever(int[] next) {
        for (;;) {
            if (next[0]++ > 4) {
                return Math.abs(next[0]);
            }
        }
    }

    static int until(java.util.Iterator<Integer> numbers) {
        do {
            if (numbers.next() == 3) {
                return 3;
            }
        } while (numbers.hasNext());
        return Integer.signum(-9);
    }

    static String labelled() {
        StringBuilder text = new StringBuilder();
        outer:
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < 5; j++) {
                if (j == 3) {
                    continue outer;
                }
                if (i == 2) {
                    break outer;
                }
                text.append(i).append(j).append(' ');
            }
        }
        return text.toString();
    }

    public static void main(String[] arguments) {
        Loops loops = new Loops();
        loops.drain();
        System.out.println(loops.left + " " + forever(new int[1]));
        System.out.println(until(java.util.Arrays.asList(1, 2, 3, 4).iterator()) + labelled());
        System.out.println(until(java.util.Arrays.asList(1, 2).iterator()));
    }
}
