package life;

import android.app.Application;
import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.os.Build;
import android.view.View;
import android.view.WindowManager;
import android.view.WindowManagerGlobal;
import java.util.List;
import methodbeat.AndroidMonitors;
import methodbeat.Monitors;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.shadows.ShadowCanvas;
import org.robolectric.util.ReflectionHelpers;
import stage.Stage;

/** What is shown beside a screen: started anew for it, and stopped at the end. */
final class Overlay {
    static void show() {
        Stage.onMain(() -> AndroidMonitors.start((Application) RuntimeEnvironment.getApplication(), "overlay=on"));
        ActivityController<Frames.Jerky> screen = Stage.launch(Frames.Jerky.class, null);
        View view = find();
        Told.fact("overlay", kindOf(view) + " " + screen.get().hasWindowFocus());
        if (Build.VERSION.SDK_INT >= 24) {
            Frames.reportJerky(screen.get());
        }
        Stage.onMain(() -> tellDrawn(view));
        Stage.leave(screen);
        Told.fact("overlay-left", find());
        Stage.comeBack(screen);
        Told.fact("overlay-back", find() != null);
        Stage.leave(screen);
        Stage.finish(screen);
        Stage.onMain(Monitors::stop);
    }

    private static View find() {
        List<View> views = ReflectionHelpers.getField(WindowManagerGlobal.getInstance(), "mViews");
        for (View view : views) {
            if (view.getClass().getName().equals("methodbeat.FpsView")) {
                return view;
            }
        }
        return null;
    }

    /** Of its window. */
    private static String kindOf(View view) {
        WindowManager.LayoutParams place = (WindowManager.LayoutParams) view.getLayoutParams();
        return place.type + " " + (place.token != null);
    }

    private static void tellDrawn(View view) {
        ((Runnable) view).run(); // as it does 5 times a second
        view.layout(0, 0, 160, 64);
        Canvas canvas = new Canvas(Bitmap.createBitmap(160, 64, Bitmap.Config.ARGB_8888));
        view.draw(canvas);
        ShadowCanvas drawn = Shadows.shadowOf(canvas);
        Told.fact("overlay-text", drawn.getDrawnTextEvent(0).text);
        Told.fact("overlay-rectangles", drawn.getRectPaintHistoryCount());
    }

    private Overlay() {}
}
