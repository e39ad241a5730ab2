package sample;

/** Code in interfaces: default and static methods, a diamond, an initialiser. */
public class Interfaces {
    interface Named {
        String NAME = String.valueOf("interface");

        String name();

        default String greet() {
            return prefix("hello ") + name();
        }

        static String prefix(String word) {
            return word.trim() + " ";
        }
    }

    interface Loud extends Named {
        @Override
        default String greet() {
            return Named.super.greet().toUpperCase() + "!";
        }
    }

    static class Person implements Named {
        @Override
        public String name() {
            return "person of ".concat(NAME);
        }
    }

    static class Shouter extends Person implements Loud {
    }

    public static void main(String[] arguments) {
        System.out.println(new Person().greet());
        System.out.println(new Shouter().greet());
    }
}
