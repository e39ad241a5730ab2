package sample;

/** Static, inner, local and anonymous classes that read each other's private members. */
public class Nested {
    private int secret = Integer.parseInt("42");

    static class StaticNested {
        private String hidden = "hidden".concat("!");
    }

    class Inner {
        class Innermost {
            int read() {
                return add(secret, Inner.this.own());
            }
        }

        private int own() {
            return Math.negateExact(secret);
        }
    }

    private static int add(int a, int b) {
        return Math.addExact(a, b);
    }

    String local(final int number) {
        class Local {
            String twice() {
                secret++;
                return "" + Math.multiplyExact(number, secret);
            }
        }
        return new Local().twice();
    }

    public static void main(String[] arguments) {
        Nested nested = new Nested();
        System.out.println(nested.new Inner().new Innermost().read());
        System.out.println(nested.local(2));
        System.out.println(new StaticNested().hidden);
        System.out.println(new Object() {
            @Override
            public String toString() {
                return "anonymous " + nested.secret;
            }
        });
    }
}
