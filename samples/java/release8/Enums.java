package sample;

/** Constants with bodies and constructors, values and valueOf. */
public enum Enums {
    ADD("+") {
        @Override
        int apply(int a, int b) {
            return Math.addExact(a, b);
        }
    },
    TIMES("*") {
        @Override
        int apply(int a, int b) {
            return Math.multiplyExact(a, b);
        }
    };

    private final String sign;

    Enums(String sign) {
        this.sign = sign.intern();
    }

    abstract int apply(int a, int b);

    public static void main(String[] arguments) {
        for (Enums each : values()) {
            System.out.println(each + each.sign + each.apply(3, 4));
        }
        System.out.println(valueOf("ADD").ordinal());
        try {
            valueOf("MINUS");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }
}
