package java.lang;

import android.app.Activity;
import jdk.internal.vm.annotation.ForceInline;
import methodbeat.MethodBeat;

/**
 * What probes call that were put in as a class was loaded. In java.base, which every class loader
 * and every module sees.
 */
public final class $MethodBeat {
    @ForceInline
    @java.lang.invoke.ForceInline
    public static void i(int id) {
        MethodBeat.i(id);
    }

    @ForceInline
    @java.lang.invoke.ForceInline
    public static void o(int id) {
        MethodBeat.o(id);
    }

    @ForceInline
    @java.lang.invoke.ForceInline
    public static void c(int id) {
        MethodBeat.c(id);
    }

    /** Of probes that instrument put in. */
    public static void at(Activity activity, boolean hasFocus) {
        MethodBeat.at(activity, hasFocus);
    }

    private $MethodBeat() {}
}
