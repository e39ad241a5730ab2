/** Comes from many loaders, and as a hidden class. */
public class Guest {
    static int deep(int n) {
        return n < 2 ? n : deep(n - 1) + 1;
    }

    public static int work(int n) {
        return deep(n);
    }
}
