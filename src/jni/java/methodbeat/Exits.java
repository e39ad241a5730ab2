package methodbeat;

/** Knows how earlier processes of the program ended. Called by the library's thread. */
interface Exits {
    /** As NativeMonitors.exits gives them; each only once. */
    String[] take();

    /** For whoever asks after this process. */
    void note(byte[] text);
}
