package android.content;

import android.content.pm.ApplicationInfo;
import android.content.res.Resources;

/** Only for the compiler: the real one comes with Android. */
public abstract class Context {
    public static final int MODE_PRIVATE = 0;

    public abstract ApplicationInfo getApplicationInfo();

    public abstract ClassLoader getClassLoader();

    public abstract Resources getResources();

    public abstract SharedPreferences getSharedPreferences(String name, int mode);

    public final native <T> T getSystemService(Class<T> type);
}
