package stage;

import android.app.Activity;
import android.app.Instrumentation;
import android.os.Bundle;
import androidx.test.platform.app.InstrumentationRegistry;
import org.robolectric.Robolectric;
import org.robolectric.android.controller.ActivityController;

/** What the system and a person do to an app, for a test. Methods are called by the test's thread. */
public final class Stage {
    private static final Instrumentation SYSTEM = InstrumentationRegistry.getInstrumentation();

    /** Run it in a message of the main thread, and return when it is over. */
    public static void onMain(Runnable task) {
        SYSTEM.runOnMainSync(task);
    }

    /** All messages that are due have run. */
    public static void settle() {
        SYSTEM.waitForIdleSync();
    }

    /** Launch: the Activity is shown, and has the focus. */
    public static <A extends Activity> ActivityController<A> launch(Class<A> type, Bundle state) {
        ActivityController<A>[] controller = newArray();
        onMain(() -> {
            controller[0] = Robolectric.buildActivity(type);
            controller[0].create(state).start();
            if (state != null) {
                controller[0].restoreInstanceState(state);
            }
            controller[0].postCreate(state).resume().visible().topActivityResumed(true);
        });
        focus(controller[0], true);
        return controller[0];
    }

    public static void focus(ActivityController<?> controller, boolean hasFocus) {
        onMain(() -> controller.windowFocusChanged(hasFocus));
        settle();
    }

    /** It is left: another one is shown, or none. */
    public static void leave(ActivityController<?> controller) {
        focus(controller, false);
        onMain(() -> controller.topActivityResumed(false).pause().stop());
        settle();
    }

    /** And comes back. */
    public static void comeBack(ActivityController<?> controller) {
        onMain(() -> controller.restart().start().resume().topActivityResumed(true));
        focus(controller, true);
    }

    public static void finish(ActivityController<?> controller) {
        onMain(controller::destroy);
        settle();
    }

    @SuppressWarnings("unchecked")
    private static <A extends Activity> ActivityController<A>[] newArray() {
        return new ActivityController[1];
    }

    private Stage() {}
}
