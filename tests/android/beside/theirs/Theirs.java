package theirs;

import android.app.Application;
import com.tencent.matrix.Matrix;
import com.tencent.matrix.plugin.DefaultPluginListener;
import com.tencent.matrix.report.Issue;
import com.tencent.matrix.trace.TracePlugin;
import com.tencent.matrix.trace.config.TraceConfig;
import org.json.JSONException;
import org.json.JSONObject;
import script.Side;

/** Matrix's trace canary: all its monitors on, thresholds as they are by default. */
public final class Theirs implements Side {
    @Override
    public void start(Application application, final Listener listener) {
        TraceConfig config = new TraceConfig.Builder()
                .enableFPS(true)
                .enableEvilMethodTrace(true)
                .enableAnrTrace(true)
                .enableStartup(true)
                .build();
        TracePlugin plugin = new TracePlugin(config);
        Matrix.init(new Matrix.Builder(application)
                .plugin(plugin)
                .patchListener(new DefaultPluginListener(application) {
                    @Override
                    public void onReportIssue(Issue issue) {
                        try {
                            listener.onIssue(new JSONObject(issue.getContent().toString())
                                    .put("tag", issue.getTag()).toString());
                        } catch (JSONException e) {
                            throw new AssertionError(e);
                        }
                    }
                })
                .build());
        plugin.start();
    }
}
