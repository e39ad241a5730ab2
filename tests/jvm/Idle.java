import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.util.concurrent.LinkedBlockingQueue;

/** A server that waits: its own acceptor, poller and workers, whose loops are traced; and one request. */
class Idle {
    static volatile long sink;

    /** For so long, then the process ends, and all that wait with it. */
    public static void main(String[] args) throws Exception {
        var server = new Server(args[0].equals("store"));
        server.start();
        Thread.sleep(1500);
        server.ask();
        Thread.sleep(1500);
        server.ask();
        Thread.sleep(1500);
        System.exit(0);
    }
}

class Server {
    final LinkedBlockingQueue<Socket> queue = new LinkedBlockingQueue<>();
    final ServerSocket socket;
    final boolean asksStore;

    Server(boolean asksStore) throws Exception {
        this.asksStore = asksStore;
        socket = new ServerSocket(0);
    }

    void start() {
        begin("acceptor", this::accept);
        begin("poller", this::poll);
        for (int i = 1; i <= 3; i++) {
            begin("worker-" + i, asksStore ? this::askStore : this::work);
        }
    }

    void begin(String name, Runnable loop) {
        var thread = new Thread(loop, name);
        thread.setDaemon(true);
        thread.start();
    }

    void accept() {
        while (true) {
            try {
                queue.add(socket.accept());
            } catch (java.io.IOException e) {
                Idle.sink++;
            }
        }
    }

    void poll() {
        try (var selector = Selector.open()) {
            while (true) {
                Idle.sink += selector.select(400);
            }
        } catch (java.io.IOException e) {
            Idle.sink++;
        }
    }

    void work() {
        while (true) {
            handle(getTask());
        }
    }

    Socket getTask() {
        try {
            return queue.take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The request. */
    void handle(Socket asked) {
        load(700);
        Pauses.sleep(100);
    }

    void load(long ms) {
        Pauses.sleep(ms);
    }

    /** A pool that does nothing but wait, for answers. */
    void askStore() {
        for (int i = 0; i < 5; i++) {
            load(800);
        }
    }

    void ask() throws Exception {
        try (var asking = new Socket("127.0.0.1", socket.getLocalPort())) {
            Idle.sink += asking.getLocalPort();
        }
    }
}

/** Without probes. */
class Pauses {
    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
