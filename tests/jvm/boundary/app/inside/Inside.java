package inside;

import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import outside.Outside;

/* What may be called by whom, as tests/jvm/boundary.py has it. Each method calls something, so that it
 * deserves a probe. */
public class Inside {
    static {
        System.nanoTime();
    }

    public static void main(String[] arguments) {
        System.nanoTime();
    }

    static void plain() {
        System.nanoTime();
    }

    @Override
    public String toString() {
        return "" + System.nanoTime();
    }

    private static class Task implements Callable<Long> {
        @Override
        public Long call() {
            return System.nanoTime();
        }

        void helps() {
            System.nanoTime();
        }
    }

    /* Only a subclass says that run is Runnable's. */
    static class Works {
        public void run() {
            System.nanoTime();
        }

        public void walk() {
            System.nanoTime();
        }
    }

    static class Works2 extends Works implements Runnable {
    }

    interface Own {
        void act();
    }

    interface OwnRunnable extends Runnable {
    }

    static void take(Own own) {
        own.act();
    }

    static void give(Runnable task) {
        new Thread(task).start();
    }

    static void forOwn() {
        System.nanoTime();
    }

    static void forOutside() {
        System.nanoTime();
    }

    static void forMixed() {
        System.nanoTime();
    }

    static class Bound {
        void virtual() {
            System.nanoTime();
        }
    }

    static class Bound2 extends Bound {
        @Override
        void virtual() {
            System.nanoTime();
        }
    }

    static void make(Bound bound) {
        take(Inside::forOwn);
        give(Inside::forOutside);
        OwnRunnable mixed = Inside::forMixed;
        give(mixed);
        give(bound::virtual);
        take(() -> plain());
        give(() -> plain());
        Supplier<Made> supplier = Made::new;
        supplier.get();
    }

    static class Made {
        Made() {
            System.nanoTime();
        }
    }

    static class Stored implements Serializable {
        private void readObject(ObjectInputStream in) {
            System.nanoTime();
        }

        private Object writeReplace() {
            System.nanoTime();
            return this;
        }
    }

    static class WithNative {
        native void leave();

        void back() {
            System.nanoTime();
        }

        private void own() {
            System.nanoTime();
        }
    }

    @interface OwnEvent {
    }

    static class Listener {
        @Outside.Event
        void onEvent() {
            System.nanoTime();
        }

        @OwnEvent
        void onOwnEvent() {
            System.nanoTime();
        }

        @Deprecated
        void onNothing() {
            System.nanoTime();
        }
    }

    static class Hooks extends Outside implements Outside.Handler {
        @Override
        public void hook() {
            System.nanoTime();
        }

        @Override
        public void handle(int value) {
            System.nanoTime();
        }

        public void other() {
            System.nanoTime();
        }

        private void hidden() {
            System.nanoTime();
        }
    }

    static class Blocked {
        static void calls() {
            Inside.calledByBlocked();
        }
    }

    static void calledByBlocked() {
        System.nanoTime();
    }
}
