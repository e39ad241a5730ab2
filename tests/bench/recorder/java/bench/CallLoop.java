import java.util.function.IntConsumer;
import methodbeat.MethodBeat;

/**
 * As Loop, with the probes in a method that is called and never inlined (see run.sh). On a thread
 * that is not recorded the compiler moves the thread's check out of a loop of bare probes, and nothing
 * is left of them to be measured.
 */
public final class CallLoop implements IntConsumer {
    private static void call() {
        MethodBeat.i(7);
        MethodBeat.o(7);
    }

    @Override
    public void accept(int pairs) {
        for (int k = 0; k < pairs; k++) {
            call();
        }
    }
}
