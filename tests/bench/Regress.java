import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Programs with a method that is made slower: Regress PROGRAM FACTOR, in percent. */
final class Regress {
    static volatile int sink;
    static int factor;

    /** Many short calls below others that do nothing. */
    static final class Orders {
        static int hash(String text) {
            int h = text.length();
            for (int k = 0; k < 12 * factor; k++) {
                h = h * 31 + k;
            }
            for (int i = 0; i < text.length(); i++) {
                h = h * 31 + text.charAt(i);
            }
            return h;
        }

        static int price(int i) {
            return hash("customer" + i % 50) % 100;
        }

        static int order(int i) {
            int total = 0;
            for (int k = 0; k < 10; k++) {
                total += price(i + k);
            }
            return total;
        }

        static int parse(int i) {
            int x = i;
            for (int k = 0; k < 20000; k++) {
                x = x * 31 + k;
            }
            return x;
        }

        static void run() {
            for (int i = 0; i < 12000; i++) {
                sink += order(i);
                sink += parse(i);
            }
        }
    }

    /** Threads of a pool, a lock, and a worker that waits for work for ever. */
    static final class Shop {
        static final Object LOCK = new Object();
        static int stock;

        static int tax(int i) {
            int x = i;
            for (int k = 0; k < 400 * factor; k++) {
                x = x * 31 + k;
            }
            return x;
        }

        static int render(int i) {
            int x = i;
            for (int k = 0; k < 60000; k++) {
                x = x * 31 + k;
            }
            return x;
        }

        static void book(int i) {
            synchronized (LOCK) {
                for (int k = 0; k < 10000; k++) {
                    stock = stock * 31 + k;
                }
            }
        }

        static int request(int i) {
            book(i);
            return tax(i) + render(i);
        }

        static void run() throws Exception {
            ExecutorService pool = Executors.newFixedThreadPool(4);
            List<Future<?>> all = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                final int from = t;
                all.add(pool.submit(() -> {
                    for (int i = 0; i < 1000; i++) {
                        sink += request(from + i);
                    }
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
            pool.shutdown();
        }
    }

    /** A recursion whose leaves work. */
    static final class Tree {
        static int leaf(int i) {
            int x = i;
            for (int k = 0; k < 10 * factor; k++) {
                x = x * 31 + k;
            }
            return x;
        }

        static int walk(int depth, int i) {
            return depth == 0 ? leaf(i) : walk(depth - 1, i * 2) + walk(depth - 1, i * 2 + 1);
        }

        static int balance(int i) {
            int x = i;
            for (int k = 0; k < 500000; k++) {
                x = x * 31 + k;
            }
            return x;
        }

        static void run() {
            for (int i = 0; i < 200; i++) {
                sink += walk(9, i) + balance(i);
            }
        }
    }

    /** A parser: very short calls, and few that are longer. */
    static final class Parser {
        static String text;
        static int at;

        static int next() {
            return at < text.length() ? text.charAt(at++) : -1;
        }

        static int number() {
            int value = 0;
            int c = next();
            while (c >= '0' && c <= '9') {
                value = value * 10 + c - '0';
                c = next();
            }
            return value;
        }

        static int check(int sum) {
            int x = sum;
            for (int k = 0; k < 120 * factor; k++) {
                x = x * 31 + k;
            }
            return x;
        }

        static int line() {
            int sum = 0;
            for (int i = 0; i < 20; i++) {
                sum += number();
            }
            return check(sum);
        }

        static void run() {
            StringBuilder one = new StringBuilder();
            for (int i = 0; i < 20; i++) {
                one.append(i * 37 % 1000).append(',');
            }
            text = one.toString();
            for (int i = 0; i < 5000; i++) {
                at = 0;
                sink += line();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        factor = Integer.parseInt(args[1]);
        switch (args[0]) {
            case "orders" -> Orders.run();
            case "shop" -> Shop.run();
            case "tree" -> Tree.run();
            default -> Parser.run();
        }
    }
}
