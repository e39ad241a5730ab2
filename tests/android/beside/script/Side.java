package script;

import android.app.Application;

/** One of those that watch. Methods are called on the main thread. */
public interface Side {
    void start(Application application, Listener listener);

    /** Hears of each issue, as JSON. */
    interface Listener {
        void onIssue(String json);
    }
}
