package sample;

/** Several ways out of a try: the end, return, break, an exception, a return that overrides one. */
public class TryFinally {
    private final StringBuilder log = new StringBuilder();

    public static void main(String[] arguments) {
        System.out.println(new TryFinally().leave(0) + new TryFinally().leave(1));
        System.out.println(override());
        System.out.println(nested());
        System.out.println(inLoop());
        System.out.println(resources());
    }

    private String leave(int how) {
        try {
            if (how == 0) {
                return note("return ");
            }
            note("end ");
        } finally {
            note("finally ");
        }
        return log.append("after ").toString();
    }

    private String note(String word) {
        return log.append(word).toString();
    }

    @SuppressWarnings("finally")
    private static int override() {
        try {
            throw new IllegalStateException(String.valueOf(1));
        } finally {
            return Integer.parseInt("2");
        }
    }

    private static String nested() {
        StringBuilder text = new StringBuilder();
        try {
            try {
                Integer.parseInt("x");
            } finally {
                text.append("inner ");
            }
        } catch (NumberFormatException e) {
            text.append("caught ");
        } finally {
            text.append("outer");
        }
        return text.toString();
    }

    private static int inLoop() {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            try {
                if (i == 3) {
                    continue;
                }
                if (i == 6) {
                    break;
                }
                sum += Integer.valueOf(i);
            } finally {
                sum += 100;
            }
        }
        return sum;
    }

    private static String resources() {
        StringBuilder text = new StringBuilder();
        try (Resource first = new Resource("first ", text); Resource second = new Resource("second ", text)) {
            text.append(first.name).append(second.name);
            throw new IllegalArgumentException("body");
        } catch (IllegalArgumentException e) {
            text.append(e.getMessage()).append(e.getSuppressed().length);
        }
        return text.toString();
    }

    private static final class Resource implements AutoCloseable {
        final String name;
        private final StringBuilder text;

        Resource(String name, StringBuilder text) {
            this.name = name;
            this.text = text;
            text.append("+");
        }

        @Override
        public void close() {
            text.append("-").append(name);
            throw new IllegalStateException("close");
        }
    }
}
