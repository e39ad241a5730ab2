package made;

public final class T000000 implements java.util.function.IntUnaryOperator {
    static int one(int n) {
        return Integer.parseInt(n % 9 + "1");
    }

    public int applyAsInt(int n) {
        return one(n) + one(n + 1);
    }
}
