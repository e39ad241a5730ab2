package android.content;

import android.content.pm.ApplicationInfo;
import android.content.res.Resources;

/** Only for the compiler: the real one comes with Android. */
public class ContextWrapper extends Context {
    @Override
    public native ApplicationInfo getApplicationInfo();

    @Override
    public native ClassLoader getClassLoader();

    @Override
    public native Resources getResources();

    @Override
    public native SharedPreferences getSharedPreferences(String name, int mode);
}
