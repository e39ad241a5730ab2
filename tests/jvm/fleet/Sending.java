import java.io.IOException;
import methodbeat.Uploads;

/**
 * Sends a spool by the sample's uploader: SPOOL URL WORD... Words set limits (name=value) or what the
 * uploader does; run sends, and prints what it returns.
 */
public class Sending extends HttpUploader {
    private String how = "";

    private Sending(String url) {
        super(url, System.getenv("INTAKE_TOKEN"));
    }

    @Override
    public boolean mayUpload(long bytes) {
        System.out.println("MAY " + bytes);
        return !how.equals("metered");
    }

    @Override
    public boolean upload(String name, byte[] body) throws IOException {
        if (how.equals("die-before")) {
            Runtime.getRuntime().halt(9);
        }
        if (how.equals("throw")) {
            throw new IllegalStateException("on purpose");
        }
        boolean isTaken = super.upload(name, body);
        if (how.equals("die-after")) {
            Runtime.getRuntime().halt(9);
        }
        return isTaken;
    }

    public static void main(String[] words) {
        Sending sending = new Sending(words[1]);
        Uploads uploads = new Uploads(words[0], sending);
        uploads.firstMillis = 1;
        uploads.mostMillis = 1;
        for (int i = 2; i < words.length; i++) {
            String[] parts = words[i].split("=");
            switch (parts[0]) {
                case "upload": uploads.uploadBytes = Integer.parseInt(parts[1]); break;
                case "day": uploads.dayBytes = Long.parseLong(parts[1]); break;
                case "first": uploads.firstMillis = Long.parseLong(parts[1]); break;
                case "most": uploads.mostMillis = Long.parseLong(parts[1]); break;
                case "all": uploads.areAllSent = true; break;
                case "run": System.out.println("WAIT " + uploads.run()); break;
                default: sending.how = parts[0];
            }
        }
        System.out.println("DONE");
    }
}
