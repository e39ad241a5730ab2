package android.os;

/** Of a device that the properties know. */
public class Build {
    public static class VERSION {
        public static final int SDK_INT = Integer.getInteger("level", 23);
    }

    public static final String CPU_ABI = System.getProperty("abi");
    public static final String MANUFACTURER = System.getProperty("maker");
    public static final String MODEL = System.getProperty("model") + ("odd".equals(System.getProperty("model")) ? "\ud83d" : "");
}
