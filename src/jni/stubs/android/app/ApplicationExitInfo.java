package android.app;

import java.io.IOException;
import java.io.InputStream;

public final class ApplicationExitInfo {
    public static final int REASON_ANR = 6;
    public native int getPid();
    public native String getProcessName();
    public native int getReason();
    public native long getTimestamp();
    public native String getDescription();
    public native byte[] getProcessStateSummary();
    public native InputStream getTraceInputStream() throws IOException;
}
