/**
 * A hot method below two that do little, called as often as a throttle judges methods, beside one that is called less
 * often and takes a tenth of its time.
 */
public class Hot {
    static volatile int sink;

    static int digest(String word) {
        int sum = 17;
        for (int round = 0; round < 600; round++) {
            for (int k = 0; k < word.length(); k++) {
                sum = sum * 33 ^ word.charAt(k);
            }
        }
        return sum;
    }

    static int rate(int number) {
        return digest("article " + number % 40) % 90;
    }

    static int basket(int number) {
        int sum = 0;
        for (int k = 0; k < 10; k++) {
            sum += rate(number + k);
        }
        return sum;
    }

    static int check(int number) {
        int sum = number;
        for (int k = 0; k < 20_000; k++) {
            sum = sum * 31 + k;
        }
        return sum;
    }

    public static void main(String[] args) {
        for (int k = 0; k < 20_000; k++) {
            sink += basket(k);
            sink += check(k);
        }
    }
}
