package sample;

import java.util.List;

/** Records: generated members over ObjectMethods, a compact constructor, a nested one. */
public class Records {
    record Point(int x, int y) {
        static final Point ORIGIN = new Point(0, 0);

        Point {
            if (x < 0) {
                throw new IllegalArgumentException("x " + x);
            }
        }

        double distance() {
            return Math.hypot(x, y);
        }
    }

    record Named<T>(String name, T value) implements Comparable<Named<T>> {
        Named(T value) {
            this(String.valueOf(value), value);
        }

        @Override
        public int compareTo(Named<T> other) {
            return name.compareTo(other.name);
        }
    }

    public static void main(String[] arguments) {
        System.out.println(new Point(3, 4) + " " + new Point(3, 4).distance());
        System.out.println(new Point(1, 2).equals(new Point(1, 2)) + " " + Point.ORIGIN.hashCode());
        try {
            new Point(-1, 0);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(List.of(new Named<>(2), new Named<>(1)).stream().sorted().toList());
    }
}
