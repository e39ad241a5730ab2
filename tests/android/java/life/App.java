package life;

import android.app.Application;
import methodbeat.AndroidMonitors;

/** Is watched from its creation on. */
public class App extends Application {
    @Override
    public void onCreate() {
        super.onCreate();
        AndroidMonitors.start(this);
    }
}
