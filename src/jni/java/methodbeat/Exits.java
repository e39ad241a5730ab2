package methodbeat;

/** Knows how earlier processes of the program ended. Called by the library's thread. */
interface Exits {
    /** As NativeMonitors.exits gives them. */
    String[] take();

    /** Those that it took need not be taken again. */
    void told();

    /** For whoever asks after this process. */
    void note(byte[] text);
}
