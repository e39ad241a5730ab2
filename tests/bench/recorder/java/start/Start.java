import methodbeat.MethodBeat;

/** Microseconds that their caller waits for: the first probe, and start with a file. */
public class Start {
    public static void main(String[] arguments) {
        String file = "file=" + arguments[0];
        long begin = System.nanoTime();
        MethodBeat.i(1);
        MethodBeat.o(1);
        long probed = System.nanoTime();
        boolean isAsAsked = MethodBeat.start(file);
        long started = System.nanoTime();
        if (isAsAsked) {
            System.out.println((probed - begin) / 1000 + " " + (started - probed) / 1000);
        }
    }
}
