/** An agent makes no class of it. */
class Broken {
    static int value() {
        return Swapped.inner(2);
    }
}
