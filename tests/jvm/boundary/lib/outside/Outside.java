package outside;

/* A library that is on the class path, or nowhere to be found. */
public class Outside {
    public interface Handler {
        void handle(int value);
    }

    public @interface Event {
    }

    public void hook() {
        System.nanoTime();
    }

    public final void sealed() {
        System.nanoTime();
    }
}
