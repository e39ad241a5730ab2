package android.os;

public class Build {
    public static class VERSION {
        public static final int SDK_INT = Integer.parseInt("0"); // no constant
    }

    public static final String CPU_ABI = VERSION.class.getName();
    public static final String MANUFACTURER = VERSION.class.getName();
    public static final String MODEL = VERSION.class.getName();
}
