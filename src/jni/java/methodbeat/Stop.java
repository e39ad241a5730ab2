package methodbeat;

/** What to do as the program ends. No lambda: those take longer than all the rest of the beginning. */
final class Stop implements Runnable {
    @Override
    public void run() {
        MethodBeat.stop();
    }
}
