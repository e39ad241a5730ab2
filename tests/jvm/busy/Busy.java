import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** An HTTP server and its clients, which never rest; to each line it says what was done since the last one. */
public class Busy {
    static final AtomicLong DONE = new AtomicLong();
    static final AtomicLong FAILED = new AtomicLong();

    static int work(int n) {
        return n < 2 ? 1 : work(n - 1) + step(n);
    }

    static int step(int n) {
        return Integer.toString(n).length();
    }

    static byte[] answer() {
        return ("answer " + work(20)).getBytes();
    }

    static HttpServer serve() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] answer = answer();
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.setExecutor(Executors.newFixedThreadPool(2));
        server.start();
        return server;
    }

    static void ask(URL url, String expected) {
        try (InputStream in = url.openStream()) {
            (new String(in.readAllBytes()).equals(expected) ? DONE : FAILED).incrementAndGet();
        } catch (IOException e) {
            FAILED.incrementAndGet();
        }
    }

    static void client(URL url) {
        String expected = new String(answer());
        while (true) {
            ask(url, expected);
        }
    }

    static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    public static void main(String[] words) throws Exception {
        URL url = new URL("http://127.0.0.1:" + serve().getAddress().getPort() + "/");
        for (int i = 0; i < 2; i++) {
            Thread thread = new Thread(() -> client(url));
            thread.setDaemon(true);
            thread.start();
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (long since = cpu(); lines.readLine() != null; since = cpu()) {
            System.out.println(DONE.getAndSet(0) + " " + FAILED.get() + " " + (cpu() - since));
        }
        System.exit(7);
    }
}
