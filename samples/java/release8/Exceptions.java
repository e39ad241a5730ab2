package sample;

/** Exceptions that are thrown here or by a callee, and caught here, in a caller or rethrown. */
public class Exceptions {
    static class Own extends Exception {
        Own(String message, Throwable cause) {
            super(message, cause);
        }
    }

    static int caughtHere(String text) {
        try {
            if (text.length() > 2) {
                throw new IllegalArgumentException(text);
            }
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        } catch (IllegalArgumentException | IllegalStateException e) {
            return e.getMessage().length();
        }
    }

    static void fromCallee(Object nothing) {
        nothing.hashCode();
    }

    static void wrapped() throws Own {
        try {
            fromCallee(null);
        } catch (NullPointerException e) {
            throw new Own("wrapped", e);
        }
    }

    static void rethrown(int depth) throws Own {
        if (depth == 0) {
            wrapped();
        }
        rethrown(depth - 1);
    }

    static int implicit(int[] numbers, int index) {
        try {
            return numbers[index] / index + Math.abs(numbers[0]);
        } catch (ArithmeticException e) {
            return Math.negateExact(1);
        } catch (ArrayIndexOutOfBoundsException e) {
            return Math.negateExact(2);
        }
    }


    public static void main(String[] arguments) {
        System.out.println(caughtHere("12") + " " + caughtHere("x") + " " + caughtHere("long"));
        try {
            rethrown(3);
        } catch (Own e) {
            System.out.println(e.getMessage() + " " + e.getCause().getClass().getName());
        }
        int[] numbers = {1, 6};
        System.out.println("" + implicit(numbers, 0) + implicit(numbers, 1) + implicit(new int[1], 2));
    }
}
