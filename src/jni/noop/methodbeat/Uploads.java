package methodbeat;

import java.io.IOException;

/** The same API where nothing is sent. */
public final class Uploads {
    public interface Uploader {
        boolean mayUpload(long bytes);

        boolean upload(String name, byte[] body) throws IOException;
    }

    public int uploadBytes;
    public long dayBytes;
    public long firstMillis;
    public long mostMillis;
    public boolean areAllSent;

    public Uploads(String spool, Uploader uploader) {}

    public long run() {
        return 0;
    }
}
