package methodbeat;

import android.app.Activity;
import android.content.Context;
import android.graphics.Canvas;
import android.graphics.Paint;
import android.graphics.PixelFormat;
import android.view.Gravity;
import android.view.View;
import android.view.WindowManager;
import java.util.Arrays;

/**
 * How fast a screen is drawn, in a window of its own over it, so that what it draws itself is not among
 * the frames of the screen. Needs no permission. Main thread.
 */
final class FpsView extends View implements Runnable {
    private static final long PERIOD_MS = 200;
    private static final int BARS = 50;

    /** Where NativeMonitors.overlay has what. */
    private static final int FPS = 0;
    private static final int RATE = 1;
    private static final int COLOUR = 2;
    private static final int SHARES = 3;
    private static final int SHARE_COUNT = 4;
    private static final int SCORE = 7;
    private static final int BAR_COUNT = 8;
    private static final int FIRST_BAR = 9;
    private static final int SIZE = 64;

    /** At rest, best, normal, middle, high, frozen. */
    private static final int[] COLOURS = {0xff9e9e9e, 0xff43a047, 0xff7cb342, 0xfffdd835, 0xfffb8c00, 0xffe53935};
    private static final int BACKGROUND = 0xb0000000;
    private static final int MARK = 0x80ffffff;

    /** Frames a second, of 60, at which there is a mark. */
    private static final int[] MARKS = {50, 30};

    private final WindowManager windows;
    private final Paint paint = new Paint();
    private final float unit; // pixels
    private int[] shown = new int[SIZE];
    private int[] next = new int[SIZE];

    private FpsView(Context context, WindowManager windows) {
        super(context);
        this.windows = windows;
        unit = context.getResources().getDisplayMetrics().density;
        paint.setTextSize(12 * unit);
    }

    /** Shown over an Activity that has its window; null if it cannot be. */
    static FpsView over(Activity activity) {
        try {
            FpsView view = new FpsView(activity, activity.getWindowManager());
            view.show(activity.getWindow().getDecorView());
            return view;
        } catch (Throwable e) { // the Activity is not to notice
            Log.say("frames are not shown", e);
            return null;
        }
    }

    private void show(View decor) {
        WindowManager.LayoutParams place = new WindowManager.LayoutParams(
                WindowManager.LayoutParams.TYPE_APPLICATION_PANEL,
                WindowManager.LayoutParams.FLAG_NOT_FOCUSABLE | WindowManager.LayoutParams.FLAG_NOT_TOUCHABLE);
        place.width = (int) (160 * unit);
        place.height = (int) (64 * unit);
        place.gravity = Gravity.TOP | Gravity.END;
        place.format = PixelFormat.TRANSLUCENT;
        place.token = decor.getWindowToken();
        windows.addView(this, place);
        run();
    }

    void hide() {
        removeCallbacks(this);
        try {
            windows.removeViewImmediate(this);
        } catch (RuntimeException e) {
            // it went with its Activity
        }
    }

    /** Look again; drawn only if there is something new, so that a screen at rest stays so. */
    @Override
    public void run() {
        if (NativeMonitors.overlay(System.nanoTime(), next) && !Arrays.equals(shown, next)) {
            int[] last = shown;
            shown = next;
            next = last;
            invalidate();
        }
        postDelayed(this, PERIOD_MS);
    }

    @Override
    protected void onDraw(Canvas canvas) {
        float width = getWidth();
        float height = getHeight();
        float line = 16 * unit;
        fill(canvas, BACKGROUND, 0, 0, width, height);
        paint.setColor(COLOURS[shown[COLOUR]]);
        canvas.drawText(shown[FPS] + " / " + shown[RATE] + " fps  " + shown[SCORE], 4 * unit, line - 4 * unit, paint);
        drawShares(canvas, line, width, 4 * unit);
        drawBars(canvas, line + 6 * unit, width, height);
    }

    /** Of the frames of this screen, those that are not the best. */
    private void drawShares(Canvas canvas, float top, float width, float height) {
        float left = 0;
        for (int i = 0; i < SHARE_COUNT; i++) {
            float right = left + width * shown[SHARES + i] / 100;
            fill(canvas, COLOURS[i + 2], left, top, right, top + height);
            left = right;
        }
        fill(canvas, COLOURS[1], left, top, width, top + height);
    }

    /** The newest at the right. */
    private void drawBars(Canvas canvas, float top, float width, float bottom) {
        int rate = Math.max(shown[RATE], 1);
        float step = width / BARS;
        int count = Math.min(shown[BAR_COUNT], BARS);
        for (int i = 0; i < count; i++) {
            int bar = shown[FIRST_BAR + i];
            float left = width - (count - i) * step;
            float high = (bottom - top) * Math.min(bar >> 8, rate) / rate;
            fill(canvas, COLOURS[bar & 255], left, bottom - high, left + step, bottom);
        }
        for (int mark : MARKS) {
            float at = bottom - (bottom - top) * mark / 60;
            fill(canvas, MARK, 0, at, width, at + 1);
        }
    }

    private void fill(Canvas canvas, int colour, float left, float top, float right, float bottom) {
        paint.setColor(colour);
        canvas.drawRect(left, top, right, bottom, paint);
    }
}
