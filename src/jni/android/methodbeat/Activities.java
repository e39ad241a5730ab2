package methodbeat;

import android.app.Activity;
import android.app.Application;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.view.View;
import android.view.ViewTreeObserver;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;

/** What becomes of the Activities, for the monitors. Main thread. */
final class Activities implements Application.ActivityLifecycleCallbacks {
    private static final int CREATED = 0;
    private static final int STARTED = 1;
    private static final int RESUMED = 2;
    private static final int PAUSED = 3;
    private static final int STOPPED = 4;
    private static final int DESTROYED = 5;
    private static final int DRAWN = 6;
    private static final int FOCUSED = 7;
    private static final int UNFOCUSED = 8;

    private final MainLoop loop;
    private final Map<Activity, Screen> screens = new WeakHashMap<>();
    private int count;
    private Frames frames; // once there was a screen
    private StartUp start; // waits for the first Activity; or null
    private boolean hasOverlay;

    Activities(MainLoop loop) {
        this.loop = loop;
    }

    /** Whether screens that gain the focus from now on show how fast they are drawn. */
    void setOverlay(boolean hasOverlay) {
        this.hasOverlay = hasOverlay;
    }

    void expect(StartUp start) {
        this.start = start;
    }

    void stop() {
        for (Map.Entry<Activity, Screen> entry : screens.entrySet()) {
            leave(entry.getKey(), entry.getValue());
        }
        screens.clear();
        if (frames != null) {
            frames.stop();
            frames = null;
        }
    }

    @Override
    public void onActivityCreated(Activity activity, Bundle state) {
        if (start != null) {
            start.onActivity();
            start = null;
        }
        tell(CREATED, activity, state != null);
    }

    @Override
    public void onActivityStarted(Activity activity) {
        tell(STARTED, activity, false);
    }

    /** Its window is there now, and has not been shown yet. */
    @Override
    public void onActivityResumed(Activity activity) {
        tell(RESUMED, activity, false);
        try {
            Screen screen = of(activity);
            if (!screen.isSeen) {
                screen.isSeen = true;
                screen.see(activity);
            }
            if (frames == null) {
                frames = AndroidMonitors.isLevel(24) ? new Frames24() : new Frames23(loop);
            }
            frames.add(activity);
            loop.checkSoon();
        } catch (Throwable e) {
            Log.say("an Activity is not watched", e);
        }
    }

    @Override
    public void onActivityPaused(Activity activity) {
        tell(PAUSED, activity, false);
    }

    @Override
    public void onActivityStopped(Activity activity) {
        tell(STOPPED, activity, false);
        of(activity).hideOverlay();
        if (frames != null) {
            frames.remove(activity);
        }
    }

    @Override
    public void onActivitySaveInstanceState(Activity activity, Bundle state) {}

    @Override
    public void onActivityDestroyed(Activity activity) {
        tell(DESTROYED, activity, false);
        Screen screen = screens.remove(activity);
        if (screen != null) {
            leave(activity, screen);
        }
    }

    private void leave(Activity activity, Screen screen) {
        if (frames != null) {
            frames.remove(activity);
        }
        try {
            screen.leave(activity);
        } catch (Throwable e) {
            Log.say("an Activity is still watched", e);
        }
    }

    private Screen of(Activity activity) {
        Screen screen = screens.get(activity);
        if (screen == null) {
            screen = new Screen(++count, activity.getClass().getName());
            screens.put(activity, screen);
        }
        return screen;
    }

    private void tell(int what, Activity activity, boolean flag) {
        try {
            of(activity).tell(what, flag);
        } catch (Throwable e) { // the activity is not to notice
            Log.say("a change of an Activity is not reported", e);
        }
    }

    /** One Activity's window: who has the focus, and when it is first drawn. */
    private final class Screen
            implements ViewTreeObserver.OnWindowFocusChangeListener, ViewTreeObserver.OnDrawListener,
            View.OnAttachStateChangeListener {
        private final int id;
        private final String name;
        private WeakReference<Activity> activity = new WeakReference<>(null);
        private boolean isSeen;
        private boolean isDrawn;
        private FpsView overlay; // from the focus to the stop; or null

        Screen(int id, String name) {
            this.id = id;
            this.name = name;
        }

        void tell(int what, boolean flag) {
            NativeMonitors.activity(what, id, name, System.nanoTime(), flag);
        }

        void see(Activity activity) {
            this.activity = new WeakReference<>(activity);
            View decor = activity.getWindow().getDecorView();
            decor.getViewTreeObserver().addOnWindowFocusChangeListener(this);
            if (decor.isAttachedToWindow()) {
                decor.getViewTreeObserver().addOnDrawListener(this);
            } else {
                decor.addOnAttachStateChangeListener(this);
            }
        }

        /** Before level 26 who waits for a draw is forgotten when the view tree is attached. */
        @Override
        public void onViewAttachedToWindow(View decor) {
            decor.removeOnAttachStateChangeListener(this);
            decor.getViewTreeObserver().addOnDrawListener(this);
        }

        @Override
        public void onViewDetachedFromWindow(View decor) {}

        void leave(Activity activity) {
            hideOverlay();
            View decor = activity.getWindow().peekDecorView();
            if (decor != null) {
                decor.removeOnAttachStateChangeListener(this);
            }
            if (decor != null && decor.getViewTreeObserver().isAlive()) {
                decor.getViewTreeObserver().removeOnWindowFocusChangeListener(this);
                decor.getViewTreeObserver().removeOnDrawListener(this);
            }
        }

        @Override
        public void onWindowFocusChanged(boolean hasFocus) {
            tell(hasFocus ? FOCUSED : UNFOCUSED, false);
            if (hasFocus && hasOverlay && overlay == null) {
                overlay = FpsView.over(activity.get());
            }
        }

        void hideOverlay() {
            if (overlay != null) {
                overlay.hide();
                overlay = null;
            }
        }

        /** What is drawn now is on its way to the screen when the next message runs. */
        @Override
        public void onDraw() {
            if (!isDrawn) {
                isDrawn = true;
                new Handler(Looper.getMainLooper()).postAtFrontOfQueue(new Runnable() {
                    @Override
                    public void run() {
                        tell(DRAWN, false);
                    }
                });
            }
        }
    }
}
