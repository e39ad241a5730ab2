package android.os;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** As Android's, by what a JDK attaches agents with. */
public final class Debug {
    public static void attachJvmtiAgent(String library, String options, ClassLoader loader) throws IOException {
        System.out.println("attach " + (options == null && loader == Debug.class.getClassLoader()));
        long pid = ProcessHandle.current().pid();
        Process jcmd = new ProcessBuilder(System.getProperty("java.home") + "/bin/jcmd", Long.toString(pid),
                "JVMTI.agent_load", System.getProperty("agent", library)).redirectErrorStream(true).start();
        String told = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!told.contains("return code: 0")) {
            throw new IOException(told.trim().replace('\n', ' '));
        }
    }

    private Debug() {}
}
