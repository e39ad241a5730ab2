package sample;

/** Static and instance initialisers, their order, and one that fails. */
public class Initialisers {
    static final StringBuilder LOG = new StringBuilder();
    static int first = note("static field");
    int field = note("field");

    static {
        note("static block");
    }

    {
        note("block");
    }

    Initialisers() {
        note("constructor");
    }

    static int note(String what) {
        LOG.append(what).append("; ");
        return LOG.length();
    }

    static class Failing {
        static int value = Integer.parseInt("not a number");

        static int get() {
            return Math.abs(value);
        }
    }

    public static void main(String[] arguments) {
        new Initialisers();
        System.out.println(LOG);
        for (int i = 0; i < 2; i++) {
            try {
                Failing.get();
            } catch (ExceptionInInitializerError e) {
                System.out.println(e.getCause().getMessage());
            } catch (NoClassDefFoundError e) {
                System.out.println("unusable");
            }
        }
    }
}
