package sample;

/** One method for each kind of return. */
public class Returns {
    static void nothing(Object o) {
        o.hashCode();
    }

    static int anInt(String s) {
        return s.length();
    }

    static long aLong(String s) {
        return Long.parseLong(s);
    }

    static float aFloat(String s) {
        return Float.parseFloat(s);
    }

    static double aDouble(String s) {
        return Double.parseDouble(s);
    }

    static String aReference(String s) {
        return s.trim();
    }

    static boolean several(String s) {
        if (s.isEmpty()) {
            return true;
        }
        if (s.length() > 2) {
            return s.startsWith("x");
        }
        return s.endsWith("x") && s.length() == 2;
    }

    public static void main(String[] arguments) {
        nothing("");
        System.out.println(anInt("abc") + aLong("4") + aFloat("0.5") + aDouble("1e3") + aReference(" r "));
        System.out.println("" + several("") + several("xyz") + several("ax"));
    }
}
