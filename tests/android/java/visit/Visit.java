package visit;

import android.app.Activity;
import android.os.Handler;
import android.os.Looper;
import java.io.File;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import methodbeat.MethodBeat;
import methodbeat.Monitors;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.LooperMode;
import sample.shop.CatalogueActivity;
import sample.shop.CheckoutActivity;
import stage.Measure;
import stage.Stage;

/** A person in the shop, and in each screen of the other sample: FACT name value. */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
public class Visit {
    private static final String[] SCREENS = {
        "MainActivity", "PlainActivity", "DetailActivity", "LockedActivity", "HeirActivity", "TrivialActivity",
        "ListScreen",
    };

    private static void fact(String name, Object value) {
        System.out.println("FACT " + name + " " + value);
    }

    @Test
    public void tell() throws Exception {
        List<Monitors.Issue> issues = new CopyOnWriteArrayList<>();
        Monitors.listen(issues::add);
        Measure.begin();
        fact("since", System.nanoTime());
        fact("watched", Monitors.isRunning());
        MethodBeat.listen((activity, hasFocus) -> fact("focus",
                activity.getClass().getSimpleName() + " " + hasFocus));
        shop();
        for (String name : SCREENS) {
            show(Class.forName("sample.app." + name).asSubclass(Activity.class));
        }
        Monitors.stop(); // here: it waits until all is written
        for (Monitors.Issue issue : issues) {
            fact("issue", issue.json);
            fact("kept", issue.file != null && new File(issue.file).exists());
        }
    }

    private static void shop() {
        Handler clicks = new Handler(Looper.getMainLooper());
        ActivityController<CatalogueActivity> catalogue = Stage.launch(CatalogueActivity.class, null);
        clicks.post(() -> catalogue.get().search("cherry"));
        Stage.settle();
        Stage.leave(catalogue);
        ActivityController<CheckoutActivity> checkout = Stage.launch(CheckoutActivity.class, null);
        clicks.post(() -> checkout.get().pay(499));
        Stage.settle();
        Stage.leave(checkout);
        Stage.comeBack(catalogue);
        Stage.leave(catalogue);
        Stage.finish(checkout);
        Stage.finish(catalogue);
    }

    private static <A extends Activity> void show(Class<A> type) {
        ActivityController<A> controller = Stage.launch(type, null);
        Stage.leave(controller);
        Stage.finish(controller);
    }
}
