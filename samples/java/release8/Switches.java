package sample;

/** tableswitch with every padding, lookupswitch, a switch at offset 0, of strings and of enums. */
public class Switches {
    enum Suit { CLUBS, DIAMONDS, HEARTS, SPADES }

    static String dense(int number) {
        switch (number) {
        case 0: return String.valueOf("zero");
        case 1: return String.valueOf("one");
        case 2:
        case 3: return String.valueOf("few");
        default: return String.valueOf("many");
        }
    }

    static String sparse(int number) {
        switch (number) {
        case Integer.MIN_VALUE: return String.valueOf("least");
        case -1: return String.valueOf("minus");
        case 1000000: return String.valueOf("million");
        default: return String.valueOf("other");
        }
    }

    static int padded(int a, int b) {
        int sum = 0;
        switch (a) { case 0: sum += 1; break; case 1: sum += 2; break; default: sum += Math.abs(b); }
        sum += 300;
        switch (b) { case 0: sum += 4; break; case 1: sum += 8; break; default: sum++; }
        sum = sum * a;
        switch (sum) { case 0: return 1; case 1: return 2; case 2: return Math.max(a, b); }
        sum += 70000;
        switch (a + b) { case 9: sum--; case 8: sum--; case 7: sum--; }
        return Math.max(sum, 0);
    }

    static int strings(String word) {
        switch (word) {
        case "Aa": return 1;
        case "BB": return 2; /* the same hash */
        case "": return 3;
        default: return word.length();
        }
    }

    static String enums(Suit suit) {
        switch (suit) {
        case HEARTS:
        case DIAMONDS: return suit.name().toLowerCase();
        default: return suit.name();
        }
    }

    public static void main(String[] arguments) {
        for (int i = -1; i < 5; i++) {
            System.out.println(dense(i) + " " + padded(i, 1) + " " + padded(1, i) + " " + padded(i, 8));
        }
        System.out.println(sparse(-1) + sparse(1000000) + sparse(Integer.MIN_VALUE) + sparse(3));
        System.out.println("" + strings("Aa") + strings("BB") + strings("") + strings("longer"));
        for (Suit suit : Suit.values()) {
            System.out.println(enums(suit));
        }
    }
}
