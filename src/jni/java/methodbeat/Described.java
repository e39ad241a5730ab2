package methodbeat;

/** A message that can say what it is, else its class says it. */
interface Described {
    /** On the loop's thread, of a slow message only. */
    String describe();
}
