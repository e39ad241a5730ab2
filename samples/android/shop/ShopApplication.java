package sample.shop;

import android.app.Application;
import methodbeat.AndroidMonitors;

/** Has itself watched, before anything else. */
public class ShopApplication extends Application {
    @Override
    public void onCreate() {
        super.onCreate();
        AndroidMonitors.start(this, "spool=" + getFilesDir() + "/issues");
        log("opened");
    }

    static void log(String line) {
        System.out.println("SHOP " + line);
    }
}
