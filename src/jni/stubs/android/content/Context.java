package android.content;

import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.content.res.Resources;

public abstract class Context {
    public static final int MODE_PRIVATE = 0;
    public native ApplicationInfo getApplicationInfo();
    public native ClassLoader getClassLoader();
    public native PackageManager getPackageManager();
    public native String getPackageName();
    public native Resources getResources();
    public native SharedPreferences getSharedPreferences(String name, int mode);
    public final native <T> T getSystemService(Class<T> type);
}
