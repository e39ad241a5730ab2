package sample;

/** Sealed types, patterns of instanceof, switch expressions that yield and that throw. */
public class Sealed {
    sealed interface Shape permits Circle, Square, Odd {
    }

    record Circle(double radius) implements Shape {
    }

    record Square(double side) implements Shape {
    }

    static non-sealed class Odd implements Shape {
    }

    enum Level { LOW, HIGH }

    static double area(Shape shape) {
        if (shape instanceof Circle circle && circle.radius() > 0) {
            return Math.floor(Math.PI * circle.radius() * circle.radius());
        }
        if (!(shape instanceof Square square)) {
            throw new IllegalArgumentException(shape.getClass().getSimpleName());
        }
        return square.side() * square.side();
    }

    static int yields(Level level, String word) {
        return switch (level) {
            case LOW -> Math.abs(word.length());
            case HIGH -> {
                try {
                    yield Integer.parseInt(word);
                } catch (NumberFormatException e) {
                    yield switch (word) {
                        case "a", "b" -> 1;
                        default -> throw new IllegalStateException(word);
                    };
                }
            }
        };
    }

    public static void main(String[] arguments) {
        System.out.println(area(new Circle(2)) + area(new Square(3)));
        for (String word : new String[] {"12", "a", "zz"}) {
            try {
                System.out.println(yields(Level.LOW, word) + " " + yields(Level.HIGH, word));
                area(new Odd());
            } catch (IllegalArgumentException | IllegalStateException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
