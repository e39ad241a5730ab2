package sample;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Bridge methods: of generic supertypes and of covariant returns. */
public class Generics {
    abstract static class Shape implements Comparable<Shape>, Cloneable {
        abstract Number size();

        @Override
        public int compareTo(Shape other) {
            return Integer.compare(size().intValue(), other.size().intValue());
        }

        @Override
        public Shape clone() throws CloneNotSupportedException {
            return (Shape) super.clone();
        }
    }

    static class Square extends Shape {
        private final int side;

        Square(int side) {
            this.side = side;
        }

        @Override
        Integer size() {
            return Math.multiplyExact(side, side);
        }
    }

    static <T extends Comparable<? super T>> T largest(List<? extends T> all) {
        T best = all.get(0);
        for (T each : all) {
            best = each.compareTo(best) > 0 ? each : best;
        }
        return best;
    }

    static class Backwards<T extends Comparable<T>> implements Comparator<T> {
        @Override
        public int compare(T a, T b) {
            return b.compareTo(a);
        }
    }

    public static void main(String[] arguments) throws CloneNotSupportedException {
        List<Shape> shapes = new ArrayList<>();
        shapes.add(new Square(2));
        shapes.add(new Square(3).clone());
        System.out.println(largest(shapes).size());
        List<String> words = new ArrayList<>();
        words.add("a");
        words.add("b");
        words.sort(new Backwards<>());
        System.out.println(words);
    }
}
