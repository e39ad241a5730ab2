package life;

import android.app.Activity;
import android.app.Dialog;
import android.os.Bundle;
import methodbeat.AndroidMonitors;
import methodbeat.Monitors;
import org.robolectric.android.controller.ActivityController;
import stage.Stage;

/** What a person does to an app of a few screens. */
public final class Screens {
    private static final long NEVER_MS = 60000;
    private static final long SOON_MS = 500;

    /** Takes a while to be made, and to be shown. */
    public static class First extends Activity {
        @Override
        protected void onCreate(Bundle state) {
            super.onCreate(state);
            sleep(100);
        }

        @Override
        protected void onStart() {
            super.onStart();
            sleep(60);
        }
    }

    /** Another one. */
    public static class Second extends Activity {}

    static void sleep(long ms) {
        long until = System.nanoTime() + ms * 1000000;
        try {
            for (long left = ms; left > 0; left = (until - System.nanoTime() + 999999) / 1000000) {
                Thread.sleep(left);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void visit() {
        Monitors.set("background_ms", "" + NEVER_MS);
        Told.ask("none");
        ActivityController<First> first = start("cold", null);
        Told.ask("first");
        overAndBack(first);
        first = rotate(first);
        dialog(first);
        beside(first);
        home(first);
        start("hot", first);
        Told.ask("again");
        Stage.leave(first);
        Stage.finish(first);
        sleep(SOON_MS + 100);
        Told.ask("left");
        first = start("warm", null);
        Told.ask("new");
        Stage.leave(first);
        Stage.finish(first);
    }

    /** Of one that is there, or of a new one. */
    private static ActivityController<First> start(String kind, ActivityController<First> left) {
        ActivityController<First> shown = left;
        long before = System.nanoTime();
        if (left != null) {
            Stage.comeBack(left);
        } else {
            shown = Stage.launch(First.class, null);
        }
        if (kind.equals("cold")) { // the warm one shows what is told where nobody says so
            AndroidMonitors.fullyDrawn();
            draw(shown.get());
        }
        Told.await("START");
        Told.fact("start", kind + " " + before + " " + System.nanoTime());
        return shown;
    }

    /** As the system does before it draws, which it does not here. */
    private static void draw(Activity activity) {
        Stage.onMain(() -> activity.getWindow().getDecorView().getViewTreeObserver().dispatchOnDraw());
    }

    /** Another one is shown before it is stopped, and is finished. */
    private static void overAndBack(ActivityController<First> first) {
        Stage.focus(first, false);
        Stage.onMain(() -> first.topActivityResumed(false).pause());
        ActivityController<Second> second = Stage.launch(Second.class, null);
        Stage.onMain(first::stop);
        Told.ask("second");
        Stage.focus(second, false);
        Stage.onMain(() -> second.topActivityResumed(false).pause());
        Stage.comeBack(first);
        Stage.onMain(() -> second.stop().destroy());
        Told.ask("back");
    }

    private static ActivityController<First> rotate(ActivityController<First> old) {
        Bundle state = new Bundle();
        Stage.onMain(() -> old.pause().saveInstanceState(state).stop().destroy());
        ActivityController<First> rotated = Stage.launch(First.class, state);
        Told.ask("rotated");
        return rotated;
    }

    private static void dialog(ActivityController<First> first) {
        Dialog[] dialog = new Dialog[1];
        Stage.onMain(() -> {
            dialog[0] = new Dialog(first.get());
            dialog[0].show();
        });
        Stage.focus(first, false);
        Told.ask("dialog");
        Stage.onMain(dialog[0]::dismiss);
        Stage.focus(first, true);
        Told.ask("dismissed");
    }

    /** Two at a time: the one that the person used last counts. */
    private static void beside(ActivityController<First> first) {
        Stage.focus(first, false);
        ActivityController<Second> second = Stage.launch(Second.class, null);
        Told.ask("beside");
        Stage.focus(second, false);
        Stage.focus(first, true);
        Told.ask("touched");
        Stage.focus(first, false);
        Stage.focus(second, true);
        Told.ask("touched-other");
        Stage.leave(second);
        Stage.finish(second);
        Told.ask("finished");
        Stage.focus(first, true);
    }

    private static void home(ActivityController<First> first) {
        Monitors.set("background_ms", "" + SOON_MS);
        long before = System.nanoTime();
        Stage.leave(first);
        Told.fact("stopped", before + " " + System.nanoTime());
        Told.ask("home-soon");
        sleep(SOON_MS + 100);
        Told.ask("home");
    }

    private Screens() {}
}
