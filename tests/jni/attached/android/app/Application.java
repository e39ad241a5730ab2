package android.app;

import android.content.pm.ApplicationInfo;

public class Application {
    public ApplicationInfo getApplicationInfo() {
        ApplicationInfo info = new ApplicationInfo();
        info.flags = Boolean.getBoolean("debuggable") ? ApplicationInfo.FLAG_DEBUGGABLE : 0;
        return info;
    }

    public ClassLoader getClassLoader() {
        return Application.class.getClassLoader();
    }
}
