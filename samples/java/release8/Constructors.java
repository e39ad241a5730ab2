package sample;

/** Expressions, calls, choices and exceptions before and after super(...) and this(...). */
public class Constructors {
    static class Base {
        final String text;

        Base(String text) {
            this.text = check(text);
        }

        static String check(String text) {
            if (text.isEmpty()) {
                throw new IllegalArgumentException("empty");
            }
            return text;
        }
    }

    static class Derived extends Base {
        private final int size;

        Derived(String first, boolean twice) {
            super(twice ? first + first : String.valueOf(first.length()));
            size = text.length();
        }

        Derived(int number) {
            this(Integer.toString(Integer.parseInt("" + number) + 1), number > 5);
        }

        Derived(Object other) {
            super(new Base(new StringBuilder("made of ").append(other).toString()).text);
            size = -1;
        }

        Derived() {
            super("");
            size = 0;
        }
    }

    /** The captured variable is stored before super(). */
    static Base capture(final String word) {
        return new Base(word + "!") {
            final String more = word + text;

            @Override
            public String toString() {
                return more;
            }
        };
    }

    static String attempt() {
        try {
            return new Derived().text;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    static class Loops {
        int sum;

        Loops(int... numbers) {
            for (int number : numbers) {
                if (number < 0) {
                    return;
                }
                sum += Math.abs(number);
            }
        }
    }

    public static void main(String[] arguments) {
        System.out.println(new Derived("ab", true).text + new Derived("ab", false).size);
        System.out.println(new Derived(4).text + new Derived(9).text);
        System.out.println(new Derived((Object) "this").text);
        System.out.println(capture("word"));
        System.out.println(attempt());
        System.out.println(new Loops(1, 2, -1, 4).sum + new Loops().sum);
    }
}
