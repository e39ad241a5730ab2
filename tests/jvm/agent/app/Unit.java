package app;

/** Defined by many loaders. */
public class Unit {
    public static int call(int n) {
        int sum = n;
        for (int i = 0; i < 10; i++) {
            sum = sum * 31 + i;
        }
        return sum % 1000;
    }
}
