package android.content.res;

import android.util.DisplayMetrics;

/** Only for the compiler: the real one comes with Android. */
public class Resources {
    public native DisplayMetrics getDisplayMetrics();
}
