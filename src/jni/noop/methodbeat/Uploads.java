package methodbeat;

import java.io.IOException;

/** The same API where nothing is sent. */
public final class Uploads {
    public interface Uploader {
        boolean mayUpload(long bytes);

        boolean upload(String name, byte[] body) throws IOException;
    }

    public static final class Refused extends IOException {
        private static final long serialVersionUID = 1;

        public Refused(String reason) {
            super(reason);
        }
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
