package methodbeat;

import android.app.ActivityManager;
import android.app.Application;
import android.app.ApplicationExitInfo;
import android.content.Context;
import android.content.SharedPreferences;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What the system says of earlier processes of this name that did not respond. Loaded from level 30 on.
 * Called by the library's thread.
 */
final class Exits30 implements Exits {
    private static final int MOST = 16; // as the library keeps
    private static final int MOST_TRACE = 64 * 1024;
    private static final String SEEN = "exit_seen";

    private final Context context;
    private final ActivityManager manager;
    private long newest; // that was taken

    Exits30(Context context) {
        this.context = context;
        manager = context.getSystemService(ActivityManager.class);
    }

    private static SharedPreferences kept(Context context) {
        return context.getSharedPreferences("methodbeat." + Application.getProcessName(), Context.MODE_PRIVATE);
    }

    /** Those since the newest, of all reasons, when they were told last. */
    @Override
    public synchronized String[] take() {
        String process = Application.getProcessName();
        long seen = kept(context).getLong(SEEN, 0);
        newest = seen;
        List<String> texts = new ArrayList<>();
        for (ApplicationExitInfo info : manager.getHistoricalProcessExitReasons(null, 0, MOST)) {
            if (info.getProcessName().equals(process) && info.getTimestamp() > seen) {
                newest = Math.max(newest, info.getTimestamp());
                if (info.getReason() == ApplicationExitInfo.REASON_ANR) {
                    add(info, texts);
                }
            }
        }
        return texts.toArray(new String[0]);
    }

    @Override
    public synchronized void told() {
        if (newest > kept(context).getLong(SEEN, 0)) {
            kept(context).edit().putLong(SEEN, newest).commit();
        }
    }

    private static void add(ApplicationExitInfo info, List<String> texts) {
        byte[] noted = info.getProcessStateSummary();
        texts.add(Long.toString(info.getTimestamp()));
        texts.add(Integer.toString(info.getPid()));
        texts.add(noted != null ? new String(noted, StandardCharsets.US_ASCII) : null);
        texts.add(info.getDescription());
        texts.add(readTrace(info));
    }

    /** Its beginning, where the main thread is; null if none. */
    private static String readTrace(ApplicationExitInfo info) {
        byte[] bytes = new byte[MOST_TRACE];
        int size = 0;
        try (InputStream stream = info.getTraceInputStream()) {
            int count = stream != null ? stream.read(bytes) : -1;
            while (count > 0) {
                size += count;
                count = stream.read(bytes, size, MOST_TRACE - size);
            }
        } catch (IOException e) {
            Log.say("a trace of the system's cannot be read", e);
        }
        return size > 0 ? new String(bytes, 0, size, StandardCharsets.UTF_8) : null;
    }

    /** At most 128 bytes, and not too often: else the system throws, which the library lets be. */
    @Override
    public void note(byte[] text) {
        manager.setProcessStateSummary(text);
    }
}
