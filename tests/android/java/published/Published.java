package published;

import android.app.Activity;
import android.content.Intent;
import android.view.View;
import android.view.ViewGroup;
import android.widget.ImageView;
import android.widget.TextView;
import java.util.function.Consumer;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.Robolectric;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.LooperMode;
import org.robolectric.annotation.SQLiteMode;
import stage.Measure;
import stage.Stage;

/**
 * Screens of ZXing's app, one after another: SCREEN what is shown, FACT name value. Knows nothing of
 * monitors: who watches is told each step.
 */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
@SQLiteMode(SQLiteMode.Mode.LEGACY) // the other one needs a library that is not fetched
@Config(manifest = Config.DEFAULT_MANIFEST_NAME) // that of the package
public class Published {
    static final String END = "end";
    static Consumer<String> steps = step -> {};

    private static final String APP = "com.google.zxing.client.android.";
    private static final int HARD = 120000; // characters; too many, which it finds out at the end

    static void fact(String name, Object value) {
        System.out.println("FACT " + name + " " + value);
    }

    @Test
    public void tell() throws ReflectiveOperationException {
        Measure.begin();
        fact("since", System.nanoTime());
        show("encode.EncodeActivity", encode("QR_CODE", "here"));
        show("PreferencesActivity", new Intent());
        show("encode.EncodeActivity", encode("AZTEC", hard()));
        show("history.HistoryActivity", new Intent());
        steps.accept(END);
    }

    private static Intent encode(String format, String text) {
        return new Intent(APP + "ENCODE").putExtra("ENCODE_FORMAT", format).putExtra("ENCODE_TYPE", "TEXT_TYPE")
                .putExtra("ENCODE_DATA", text);
    }

    /** Of all kinds of characters, so that there are many ways to pack it, all of which it tries. */
    private static String hard() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; text.length() < HARD; i++) {
            text.append("a1B.c, ?d2E: f").append(i).append('\n');
        }
        return text.toString();
    }

    private static void show(String name, Intent intent) throws ReflectiveOperationException {
        Class<? extends Activity> type = Class.forName(APP + name).asSubclass(Activity.class);
        ActivityController<?>[] controller = new ActivityController<?>[1];
        Stage.onMain(() -> controller[0] = Robolectric.buildActivity(type, intent).create(null).start()
                .postCreate(null).resume().visible().topActivityResumed(true));
        Stage.focus(controller[0], true);
        StringBuilder shown = new StringBuilder();
        Stage.onMain(() -> describe(controller[0].get().getWindow().getDecorView(), shown));
        System.out.println("SCREEN " + name + " " + controller[0].get().isFinishing() + shown);
        steps.accept(name);
        Stage.leave(controller[0]);
        Stage.finish(controller[0]);
    }

    private static void describe(View view, StringBuilder to) {
        to.append(' ').append(view.getClass().getSimpleName()).append(' ').append(view.getVisibility());
        if (view instanceof TextView) {
            to.append(" '").append(((TextView) view).getText().toString().replace('\n', ' ')).append('\'');
        }
        if (view instanceof ImageView && ((ImageView) view).getDrawable() != null) {
            to.append(' ').append(((ImageView) view).getDrawable().getIntrinsicWidth());
        }
        if (view instanceof ViewGroup) {
            for (int i = 0; i < ((ViewGroup) view).getChildCount(); i++) {
                describe(((ViewGroup) view).getChildAt(i), to);
            }
        }
    }
}
