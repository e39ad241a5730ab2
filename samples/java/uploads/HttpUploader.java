import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import methodbeat.Uploads;

/**
 * Puts each upload at a URL, its name as the last part, as the intake of samples/fleet takes it. Of the JDK and of
 * Android alike.
 */
public class HttpUploader implements Uploads.Uploader {
    private static final int MOST_MS = 30000;

    private final String url;
    private final String token;

    /** @param token that the server wants to see; null: none */
    public HttpUploader(String url, String token) {
        this.url = url;
        this.token = token;
    }

    @Override
    public boolean mayUpload(long bytes) {
        return true;
    }

    @Override
    public boolean upload(String name, byte[] body) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(url + "/" + name).openConnection();
        try {
            connection.setConnectTimeout(MOST_MS);
            connection.setReadTimeout(MOST_MS);
            connection.setRequestMethod("PUT");
            connection.setRequestProperty("Content-Type", "application/x-ndjson");
            connection.setRequestProperty("Content-Encoding", "gzip");
            if (token != null) {
                connection.setRequestProperty("Authorization", "Bearer " + token);
            }
            connection.setDoOutput(true);
            connection.setFixedLengthStreamingMode(body.length);
            try (OutputStream out = connection.getOutputStream()) {
                out.write(body);
            }
            return isTaken(connection.getResponseCode());
        } finally {
            connection.disconnect();
        }
    }

    private static boolean isTaken(int code) throws Uploads.Refused {
        if (code == HttpURLConnection.HTTP_BAD_REQUEST || code == HttpURLConnection.HTTP_ENTITY_TOO_LARGE) {
            throw new Uploads.Refused("HTTP status " + code);
        }
        return code / 100 == 2;
    }

    /** Sends the spool, once; a server would call run each hour, by a ScheduledExecutorService. */
    public static void main(String[] arguments) {
        long ms = new Uploads(arguments[0], new HttpUploader(arguments[1], System.getenv("INTAKE_TOKEN"))).run();
        System.out.println(ms == 0 ? "all is sent" : "again in " + ms / 1000 + " s");
    }
}
