import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/** An agent as debuggers and profilers are: it replaces code, and some that it makes is no class. */
public class Meddler implements ClassFileTransformer {
    private static Instrumentation instrumentation;

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
        given.addTransformer(new Meddler(), true);
    }

    public static void replace(Class<?> type, byte[] code) throws Exception {
        instrumentation.redefineClasses(new ClassDefinition(type, code));
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain,
            byte[] code) {
        boolean isUnfit = "Broken".equals(name) || "Unfit".equals(name) && redefined != null;
        return isUnfit ? new byte[] {1, 2, 3} : null;
    }
}
