/** An agent makes no class of it when its code is to change. */
class Unfit {
    static int value() {
        return Swapped.inner(2);
    }
}
