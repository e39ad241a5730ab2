package consumer;

import android.os.Handler;
import android.os.Looper;
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
import stage.Stage;

/** A search in the shop, which has of ours what the AAR gives to an app: FACT name value. */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
public class Consumer {
    private static void fact(String name, Object value) {
        System.out.println("FACT " + name + " " + value);
    }

    @Test
    public void tell() throws Exception {
        List<Monitors.Issue> issues = new CopyOnWriteArrayList<>();
        Monitors.listen(issues::add);
        fact("watched", Monitors.isRunning());
        fact("recorded", MethodBeat.isRecording());
        MethodBeat.listen((activity, hasFocus) -> fact("focus",
                activity.getClass().getSimpleName() + " " + hasFocus));
        ActivityController<CatalogueActivity> catalogue = Stage.launch(CatalogueActivity.class, null);
        new Handler(Looper.getMainLooper()).post(() -> catalogue.get().search("cherry"));
        Stage.settle();
        Stage.leave(catalogue);
        Stage.finish(catalogue);
        Monitors.stop(); // here: it waits until all is written
        for (Monitors.Issue issue : issues) {
            fact("issue", issue.json);
        }
    }
}
