package methodbeat;

import android.app.Activity;
import com.tencent.matrix.trace.core.AppMethodBeat;

/** Leads our probes to Matrix's recorder. */
public final class MethodBeat {
    public static void i(int id) {
        AppMethodBeat.i(id);
    }

    public static void o(int id) {
        AppMethodBeat.o(id);
    }

    public static void at(Activity activity, boolean hasFocus) {
        AppMethodBeat.at(activity, hasFocus);
    }

    private MethodBeat() {}
}
