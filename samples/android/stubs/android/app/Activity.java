package android.app;

import android.content.Context;
import android.os.Bundle;
import android.view.Window;

/** As much of the framework's class as the sample needs; compiled against, never instrumented. */
public class Activity extends Context implements Window.Callback {
    protected void onCreate(Bundle savedInstanceState) {
    }

    protected void onResume() {
    }

    @Override
    public void onWindowFocusChanged(boolean hasFocus) {
    }
}
