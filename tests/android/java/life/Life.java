package life;

import android.os.Build;
import methodbeat.Monitors;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.LooperMode;

/** An app is started and left in all the ways there are, and its screens are drawn. */
@RunWith(RobolectricTestRunner.class)
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
public class Life {
    @Test
    public void tell() {
        Told.listen();
        Told.fact("watched", Monitors.isRunning());
        Screens.visit();
        if (Build.VERSION.SDK_INT >= 24) {
            Frames.draw();
        } else {
            Stages.draw();
        }
        Monitors.stop(); // waits until all is told
        Told.print();
        Overlay.show();
    }
}
