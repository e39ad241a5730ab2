import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import methodbeat.Uploads;

/** Posts each upload to a URL, its name as the last part. Of the JDK and of Android alike. */
public class HttpUploader implements Uploads.Uploader {
    private static final int MOST_MS = 30000;

    private final String url;

    public HttpUploader(String url) {
        this.url = url;
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
            connection.setRequestMethod("POST");
            connection.setRequestProperty("Content-Type", "application/x-ndjson");
            connection.setRequestProperty("Content-Encoding", "gzip");
            connection.setDoOutput(true);
            connection.setFixedLengthStreamingMode(body.length);
            try (OutputStream out = connection.getOutputStream()) {
                out.write(body);
            }
            return isDone(connection.getResponseCode());
        } finally {
            connection.disconnect();
        }
    }

    /** Also if the same request would never be taken: it is malformed, or too large. */
    private static boolean isDone(int code) {
        return code / 100 == 2 || code == HttpURLConnection.HTTP_BAD_REQUEST
                || code == HttpURLConnection.HTTP_ENTITY_TOO_LARGE;
    }

    /** Sends the spool, once; a server would call run each hour, by a ScheduledExecutorService. */
    public static void main(String[] arguments) {
        long ms = new Uploads(arguments[0], new HttpUploader(arguments[1])).run();
        System.out.println(ms == 0 ? "all is sent" : "again in " + ms / 1000 + " s");
    }
}
