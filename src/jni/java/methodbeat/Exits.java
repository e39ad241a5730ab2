package methodbeat;

/** Knows how earlier processes of the program ended. Called by the library's thread. */
interface Exits {
    /** As NativeMonitors.exits gives them. */
    String[] take();

    /** Those that it took need not be taken again. */
    void told();

    /** A note on this process, for a later one that asks how it ended. */
    void note(byte[] text);
}
