/** Its code is replaced while it runs. */
class Swapped {
    static int inner(int n) {
        return n < 1 ? 1 : inner(n - 1);
    }

    static int value() {
        return inner(1);
    }
}
