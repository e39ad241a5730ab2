package android.os;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;

/** As Android's, which passes it on like this. */
public final class Debug {
    public static void attachJvmtiAgent(String library, String options, ClassLoader loader) throws IOException {
        System.out.println("attach " + (options == null && loader == Debug.class.getClassLoader()));
        try {
            Class.forName("dalvik.system.VMDebug").getMethod("attachAgent", String.class, ClassLoader.class)
                    .invoke(null, library, loader);
        } catch (InvocationTargetException e) {
            throw new IOException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IOException(e);
        }
    }

    private Debug() {}
}
