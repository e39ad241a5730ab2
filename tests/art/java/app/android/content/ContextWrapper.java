package android.content;

import android.app.ActivityManager;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import java.io.File;
import java.lang.reflect.Proxy;

/** Has what the monitors and the sample ask for. Not all of a Context, so abstract to the compiler only. */
public abstract class ContextWrapper extends Context {
    public ContextWrapper(Context base) {}

    public ClassLoader getClassLoader() {
        return ContextWrapper.class.getClassLoader();
    }

    public ApplicationInfo getApplicationInfo() {
        ApplicationInfo info = new ApplicationInfo();
        info.flags = Boolean.getBoolean("debuggable") ? ApplicationInfo.FLAG_DEBUGGABLE : 0;
        return info;
    }

    public PackageManager getPackageManager() {
        return new PackageManager();
    }

    public String getPackageName() {
        return "sample.shop";
    }

    public File getFilesDir() {
        return new File(System.getProperty("files"));
    }

    public Object getSystemService(String name) {
        return new ActivityManager();
    }

    public String getSystemServiceName(Class<?> type) {
        return ACTIVITY_SERVICE;
    }

    public SharedPreferences getSharedPreferences(String name, int mode) {
        return (SharedPreferences) Proxy.newProxyInstance(SharedPreferences.class.getClassLoader(),
                new Class<?>[] {SharedPreferences.class}, (proxy, method, words) -> 0L);
    }
}
