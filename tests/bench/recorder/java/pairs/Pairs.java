import java.util.Random;
import methodbeat.MethodBeat;

/**
 * What an i and o pair takes, in two shapes: a loop that does nothing else, and a tree of
 * expressions, whose values call each other through one interface, as in a program. Each on the
 * main thread and on another one, in turn; prints a line "LOOP-MAIN LOOP-OTHER TREE-MAIN
 * TREE-OTHER" for each round, in nanoseconds a call, the best of some chunks.
 *
 * <p>usage: Pairs ROUNDS
 */
public final class Pairs {
    private static final int WARM_UP = 40;
    private static final int CHUNKS = 20;
    private static final int CALLS = 200000; // in a chunk; shorter than a time slice
    private static final int DEPTH = 9;

    /** A value that may ask others. */
    interface Value {
        int get(int[] row);
    }

    static final class Cell implements Value {
        final int column;

        Cell(int column) {
            this.column = column;
        }

        @Override
        public int get(int[] row) {
            MethodBeat.i(11);
            int value = row[column];
            MethodBeat.o(11);
            return value;
        }
    }

    static final class Sum implements Value {
        final Value left;
        final Value right;

        Sum(Value left, Value right) {
            this.left = left;
            this.right = right;
        }

        @Override
        public int get(int[] row) {
            MethodBeat.i(12);
            int value = left.get(row) + right.get(row);
            MethodBeat.o(12);
            return value;
        }
    }

    static final class Choice implements Value {
        final Value test;
        final Value one;
        final Value other;

        Choice(Value test, Value one, Value other) {
            this.test = test;
            this.one = one;
            this.other = other;
        }

        @Override
        public int get(int[] row) {
            MethodBeat.i(13);
            int value = (test.get(row) & 4) == 0 ? one.get(row) : other.get(row);
            MethodBeat.o(13);
            return value;
        }
    }

    static final class Mix implements Value {
        final Value of;

        Mix(Value of) {
            this.of = of;
        }

        @Override
        public int get(int[] row) {
            MethodBeat.i(14);
            int value = of.get(row);
            for (int k = 0; k < 4; k++) {
                value = value * 0x9E3779B1 ^ value >>> 15;
            }
            MethodBeat.o(14);
            return value;
        }
    }

    private static Value make(Random chance, int depth) {
        if (depth == 0) {
            return new Cell(chance.nextInt(64));
        }
        switch (chance.nextInt(4)) {
            case 0:
            case 1:
                return new Sum(make(chance, depth - 1), make(chance, depth - 1));
            case 2:
                return new Choice(make(chance, depth - 1), make(chance, depth - 1), make(chance, depth - 1));
            default:
                return new Mix(make(chance, depth - 1));
        }
    }

    /** So many calls does one answer take: counted by its own rules. */
    private static int count(Value value, int[] row) {
        if (value instanceof Sum) {
            return 1 + count(((Sum) value).left, row) + count(((Sum) value).right, row);
        }
        if (value instanceof Choice) {
            Choice choice = (Choice) value;
            boolean isOne = (choice.test.get(row) & 4) == 0;
            return 1 + count(choice.test, row) + count(isOne ? choice.one : choice.other, row);
        }
        return value instanceof Mix ? 1 + count(((Mix) value).of, row) : 1;
    }

    private static void call() {
        MethodBeat.i(7);
        MethodBeat.o(7);
    }

    private static int sink;

    private static double loop() {
        long start = System.nanoTime();
        for (int k = 0; k < CALLS; k++) {
            call();
        }
        return (double) (System.nanoTime() - start) / CALLS;
    }

    private static int[][] makeRows(Random chance) {
        int[][] rows = new int[64][64];
        for (int[] row : rows) {
            for (int k = 0; k < row.length; k++) {
                row[k] = chance.nextInt();
            }
        }
        return rows;
    }

    private static double tree(Value value, int[][] rows) {
        int calls = 0;
        for (int[] row : rows) {
            calls += count(value, row);
        }
        int times = CALLS / calls + 1;
        long start = System.nanoTime();
        for (int k = 0; k < times; k++) {
            for (int[] row : rows) {
                sink += value.get(row);
            }
        }
        return (double) (System.nanoTime() - start) / ((double) times * calls);
    }

    private static double[] measure(int chunks) {
        double[] best = {Double.MAX_VALUE, Double.MAX_VALUE};
        Value value = make(new Random(5), DEPTH);
        int[][] rows = makeRows(new Random(6));
        for (int k = 0; k < chunks; k++) {
            best[0] = Math.min(best[0], loop());
            best[1] = Math.min(best[1], tree(value, rows));
        }
        return best;
    }

    private static double[] measureElsewhere(int chunks) throws InterruptedException {
        double[][] best = new double[1][];
        Thread thread = new Thread(() -> best[0] = measure(chunks));
        thread.start();
        thread.join();
        return best[0];
    }

    public static void main(String[] words) throws InterruptedException {
        measure(WARM_UP);
        measureElsewhere(WARM_UP);
        for (int rounds = Integer.parseInt(words[0]); rounds > 0; rounds--) {
            double[] here = measure(CHUNKS);
            double[] elsewhere = measureElsewhere(CHUNKS);
            System.out.printf("%.3f %.3f %.3f %.3f%n", here[0], elsewhere[0], here[1], elsewhere[1]);
        }
    }

    private Pairs() {}
}
