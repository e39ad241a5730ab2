import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.util.concurrent.LinkedBlockingQueue;

/** A server that waits: its own acceptor, poller and workers, whose loops are traced; and one request. */
class Idle {
    static volatile long sink;

    /** For so long, then the process ends, and all that wait with it. */
    public static void main(String[] args) throws Exception {
        if (!args[0].equals("server") && !args[0].equals("store")) {
            end(3500);
            hang(args[0]);
            Thread.sleep(60000);
        }
        var server = new Server(args[0].equals("store"));
        server.start();
        Thread.sleep(1500);
        server.ask();
        Thread.sleep(1500);
        server.ask();
        Thread.sleep(1500);
        System.exit(0);
    }

    static void hang(String program) {
        switch (program) {
        case "main":
            new Stuck().load();
            break;
        case "job":
            Stuck.begin("job", new Stuck()::job);
            break;
        case "locks":
            Stuck.transfer();
            break;
        default:
            Stuck.serve();
            break;
        }
    }

    /** As somebody who has waited for long enough. */
    static void end(long ms) {
        var ending = new Thread(() -> {
            Pauses.sleep(ms);
            System.exit(0);
        });
        ending.setDaemon(true);
        ending.start();
    }
}

/** Programs that hang until somebody ends them: in the main thread, in a job, in two that want both locks. */
class Stuck {
    static void begin(String name, Runnable work) {
        var thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    void job() {
        prepare();
        load();
    }

    void prepare() {
        for (int i = 0; i < 1000; i++) {
            Idle.sink += i;
        }
    }

    /** What never answers. */
    void load() {
        prepare();
        read();
    }

    void read() {
        Pauses.sleep(60000);
    }

    static void transfer() {
        var one = new Stuck();
        var other = new Stuck();
        begin("Thread-1", () -> one.give(other));
        begin("Thread-2", () -> other.give(one));
    }

    synchronized void give(Stuck other) {
        Pauses.sleep(200);
        other.take();
    }

    synchronized void take() {
        prepare();
    }

    /** Requests that do nothing but wait for their database, beside a thread that works a little. */
    static void serve() {
        var pool = java.util.concurrent.Executors.newFixedThreadPool(4);
        for (int i = 0; i < 12; i++) {
            pool.execute(new Stuck()::request);
        }
        begin("cleaner", new Stuck()::clean);
    }

    void request() {
        prepare();
        query();
    }

    void query() {
        Pauses.sleep(900);
    }

    void clean() {
        while (true) {
            sweep();
            Pauses.sleep(50);
        }
    }

    void sweep() {
        long until = System.nanoTime() + 2000000;
        while (System.nanoTime() < until) {
            Idle.sink++;
        }
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
