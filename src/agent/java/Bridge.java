package java.lang;

import android.app.Activity;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Stable;
import methodbeat.MethodBeat;

/**
 * What probes call that were put in as a class was loaded. In java.base, which every class loader
 * and every module sees. It looks at the mutes itself: a call less in code that is interpreted, and a level less to
 * inline.
 */
public final class $MethodBeat {
    @Stable
    @java.lang.invoke.Stable
    private static final byte[] MUTED = MethodBeat.mutes();

    private static final byte MUTE = 1;
    private static final byte TIMED = 2;

    @ForceInline
    @java.lang.invoke.ForceInline
    public static void i(int id) {
        byte state = MUTED[id & MUTED.length - 1];
        if (state == 0) {
            MethodBeat.recordEntry(id);
        } else if (state == TIMED) {
            MethodBeat.recordTimedEntry(id);
        }
    }

    @ForceInline
    @java.lang.invoke.ForceInline
    public static void o(int id) {
        byte state = MUTED[id & MUTED.length - 1];
        if (state == 0) {
            MethodBeat.recordExit(id);
        } else if (state == TIMED) {
            MethodBeat.recordTimedExit(id);
        }
    }

    @ForceInline
    @java.lang.invoke.ForceInline
    public static void c(int id) {
        if (MUTED[id & MUTED.length - 1] != MUTE) {
            MethodBeat.recordCatch(id);
        }
    }

    /** Of probes that instrument put in. */
    public static void at(Activity activity, boolean hasFocus) {
        MethodBeat.at(activity, hasFocus);
    }

    private $MethodBeat() {}
}
