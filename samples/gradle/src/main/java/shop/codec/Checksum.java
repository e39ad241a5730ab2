package shop.codec;

/** A hot leaf: on the blacklist. */
public final class Checksum {
    private Checksum() {
    }

    public static int of(String text) {
        int sum = 0;
        for (int i = 0; i < text.length(); i++) {
            sum = 31 * sum + text.charAt(i);
        }
        return sum;
    }
}
