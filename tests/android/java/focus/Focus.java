package focus;

import android.app.Activity;
import android.app.Application;
import android.os.Bundle;
import android.view.View;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.LooperMode;
import stage.Stage;

/**
 * The focus comes and goes, and comes to who has it: FACT window of what the framework tells of a window, with the
 * Activity and whether it has the focus.
 */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
public class Focus {
    private static final boolean[] CHANGES = {false, true, true, false, false, true, false};

    /** Hears what each window is told, from before it is shown. */
    private static final class Windows implements Application.ActivityLifecycleCallbacks {
        @Override
        public void onActivityResumed(Activity activity) {
            View decor = activity.getWindow().getDecorView();
            decor.getViewTreeObserver().addOnWindowFocusChangeListener(
                    hasFocus -> System.out.println(
                            "FACT window " + activity.getClass().getSimpleName() + " " + hasFocus));
        }

        @Override
        public void onActivityCreated(Activity activity, Bundle state) {}

        @Override
        public void onActivityStarted(Activity activity) {}

        @Override
        public void onActivityPaused(Activity activity) {}

        @Override
        public void onActivityStopped(Activity activity) {}

        @Override
        public void onActivitySaveInstanceState(Activity activity, Bundle state) {}

        @Override
        public void onActivityDestroyed(Activity activity) {}
    }

    @Test
    public void tell() throws Exception {
        Application application = RuntimeEnvironment.getApplication();
        Stage.onMain(() -> application.registerActivityLifecycleCallbacks(new Windows()));
        String[] names = System.getProperty("focus.screens").split(",");
        ActivityController<?> before = null;
        for (String name : names) {
            ActivityController<?> shown = show(Class.forName("sample.app." + name).asSubclass(Activity.class));
            if (before != null) { // two windows: the focus goes back and forth
                Stage.focus(before, true);
                Stage.focus(before, false);
                Stage.focus(shown, true);
                Stage.focus(shown, false);
                Stage.finish(before);
            }
            before = shown;
        }
        Stage.finish(before);
    }

    private static <A extends Activity> ActivityController<A> show(Class<A> type) {
        ActivityController<A> controller = Stage.launch(type, null);
        for (boolean hasFocus : CHANGES) {
            Stage.focus(controller, hasFocus);
        }
        return controller;
    }
}
