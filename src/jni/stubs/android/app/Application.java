package android.app;

import android.content.ContextWrapper;
import android.os.Bundle;

public class Application extends ContextWrapper {
    public interface ActivityLifecycleCallbacks {
        void onActivityCreated(Activity activity, Bundle state);
        void onActivityStarted(Activity activity);
        void onActivityResumed(Activity activity);
        void onActivityPaused(Activity activity);
        void onActivityStopped(Activity activity);
        void onActivitySaveInstanceState(Activity activity, Bundle state);
        void onActivityDestroyed(Activity activity);
    }

    public static native String getProcessName();
    public native void registerActivityLifecycleCallbacks(ActivityLifecycleCallbacks callbacks);
    public native void unregisterActivityLifecycleCallbacks(ActivityLifecycleCallbacks callbacks);
}
