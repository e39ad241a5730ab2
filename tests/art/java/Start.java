/**
 * Runs a program, then says on standard error by which probes it was recorded. With the property "exit" it ends as a
 * program does that calls System.exit, which alone runs hooks.
 */
public final class Start {
    public static void main(String[] words) throws Throwable {
        String[] rest = java.util.Arrays.copyOfRange(words, 1, words.length);
        try {
            Class.forName(words[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw e.getCause();
        } finally {
            System.err.println("flavour " + flavour());
        }
        System.out.flush();
        if (System.getProperty("exit") != null) {
            System.exit(0);
        }
    }

    private static String flavour() throws ReflectiveOperationException {
        try {
            return (String) Class.forName("methodbeat.Flavour").getMethod("get").invoke(null);
        } catch (ClassNotFoundException e) {
            return "none";
        }
    }

    private Start() {}
}
