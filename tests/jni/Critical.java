import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import methodbeat.MethodBeat;

/**
 * Prints, a line each, where the probes of MethodBeat end up, or whether the native methods of
 * CriticalProbes are there.
 */
public final class Critical {
    public static void main(String[] arguments) throws Exception {
        System.setProperty("java.vm.name", "Dalvik"); // what Android says of itself
        if (arguments[0].equals("probes")) {
            print(() -> MethodBeat.i(1));
            print(() -> MethodBeat.o(1));
            print(() -> MethodBeat.c(1));
        } else {
            MethodBeat.isRecording(); // loads the library
            for (Method method : Class.forName("methodbeat.CriticalProbes").getDeclaredMethods()) {
                if (Modifier.isNative(method.getModifiers())) {
                    print(method);
                }
            }
        }
    }

    private static void print(Runnable probe) {
        try {
            probe.run();
            System.out.println("returns");
        } catch (UnsatisfiedLinkError e) {
            StackTraceElement at = e.getStackTrace()[0];
            System.out.println(at.getClassName() + "." + at.getMethodName());
        }
    }

    /** What it gets here is no id: only ART calls it as it wants to be called. */
    private static void print(Method method) throws Exception {
        method.setAccessible(true);
        String found = "is there";
        try {
            method.invoke(null, 0);
        } catch (java.lang.reflect.InvocationTargetException e) {
            found = e.getCause().toString();
        }
        System.out.println(method.getName() + " " + found);
    }

    private Critical() {}
}
