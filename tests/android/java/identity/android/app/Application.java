package android.app;

import android.content.ContextWrapper;

/** Has no Activities. */
public class Application extends ContextWrapper {
    public interface ActivityLifecycleCallbacks {}
}
