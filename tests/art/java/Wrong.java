/** Three mistakes, or none: what the self-test makes of get and add, and a native that mistakes a class for a string. */
public final class Wrong {
    static Object get(Object value) {
        return value;
    }

    static int add(int number) {
        synchronized (Wrong.class) {
            return number + 1;
        }
    }

    static native int length(Class<?> type);

    public static void main(String[] words) {
        System.out.println("Hello " + get("world"));
        if (words.length > 0) {
            System.load(words[0]);
            System.out.println(length(Wrong.class));
        }
    }

    private Wrong() {}
}
