package outside;

/* A library that is among the inputs, or nowhere to be found. */
public class Outside {
    public interface Handler {
        void handle(int value);
    }

    public interface Walker {
        void walk();
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
