import java.util.function.IntConsumer;
import methodbeat.MethodBeat;

/** Loaded once per variant, so that each has its own MethodBeat and its own compiled code. */
public final class Loop implements IntConsumer {
    @Override
    public void accept(int pairs) {
        for (int k = 0; k < pairs; k++) {
            MethodBeat.i(7);
            MethodBeat.o(7);
        }
    }
}
