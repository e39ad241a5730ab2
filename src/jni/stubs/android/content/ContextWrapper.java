package android.content;

import android.content.res.Resources;

/** Only for the compiler: the real one comes with Android. */
public class ContextWrapper extends Context {
    @Override
    public native Resources getResources();

    @Override
    public native SharedPreferences getSharedPreferences(String name, int mode);
}
