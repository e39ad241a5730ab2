package sample;

import java.util.function.Function;

/** Nest mates, private methods in interfaces, var, an indy string with constants. */
public class PrivateAccess {
    private interface Greeter {
        private String prefix(String word) {
            return word.concat(", ");
        }

        private static String suffix() {
            return String.valueOf('!');
        }

        default String greet(String name) {
            return prefix("hello") + name + suffix();
        }
    }

    private static class Secret implements Greeter {
        private final String value;

        private Secret(String value) {
            this.value = value.strip();
        }

        private String reveal() {
            return greet(value);
        }
    }

    public static void main(String[] arguments) {
        var secret = new Secret(" nest ");
        System.out.println(secret.reveal() + " \1 \2 " + 1L + 'c' + 2.5 + null);
        Function<Secret, String> reveal = (var each) -> each.reveal();
        System.out.println(reveal.apply(secret));
    }
}
