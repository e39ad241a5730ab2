package methodbeat;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sends what the monitors left in a spool to a server of the program's own.
 *
 * <pre>
 * Uploads uploads = new Uploads(spool, uploader);   // the folder of the setting spool
 * long ms = uploads.run();                          // in a worker, a job, a timer
 * </pre>
 *
 * <p>Issues that are marked for report are sent, and the sums of a session a day after they were written.
 * Files are first moved to SPOOL/.uploads, and deleted when the server has them: a process that is killed
 * at any moment loses nothing, and the next one sends the same again under the same name. So a server may
 * get an upload twice; it keeps one of each name, and one issue of each device and incident.
 */
public final class Uploads {
    /** How the program sends; called on the thread of run. */
    public interface Uploader {
        /** True if that many bytes may be sent now, over this network; asked before each upload. */
        boolean mayUpload(long bytes);

        /**
         * @param name 32 hexadecimal digits, of a hash of the body
         * @param body gzip, a JSON object a line
         * @return true: the server has it, so its files are deleted; else, and after another exception, it is
         *     sent again
         * @throws Refused the server would never take it: its files are kept in SPOOL/.uploads/refused-TIME-NAME
         */
        boolean upload(String name, byte[] body) throws IOException;
    }

    /** Of an upload that is malformed or too large for the server; the last 16 of them are kept. */
    public static final class Refused extends IOException {
        private static final long serialVersionUID = 1;

        public Refused(String reason) {
            super(reason);
        }
    }

    private static final AtomicBoolean IS_BUSY = new AtomicBoolean();
    private static final long LATER_MS = 15 * 60 * 1000;

    /** Most of an upload. A file that is larger alone stays, with a line that says so. */
    public int uploadBytes = 256 * 1024;

    /** Most of a day (UTC), failed uploads too. */
    public long dayBytes = 4 << 20;

    /** After a failure, half to all of this is waited; after each further one twice as long ... */
    public long firstMillis = 60 * 1000;

    /** ... up to this. */
    public long mostMillis = 6 * 60 * 60 * 1000;

    /** Issues that are not marked for report are sent, too. */
    public boolean areAllSent;

    private final File spool;
    private final Uploader uploader;

    public Uploads(String spool, Uploader uploader) {
        this.spool = new File(spool);
        this.uploader = uploader;
    }

    /**
     * Send until nothing is left or something is against it; on the calling thread. Of all processes that
     * use the spool one does so at a time. Never throws.
     *
     * @return 0: nothing is left; else milliseconds after which to call again
     */
    public long run() {
        if (!IS_BUSY.compareAndSet(false, true)) {
            return LATER_MS;
        }
        try {
            return spool.isDirectory() ? send(new UploadFiles(spool)) : 0;
        } catch (Throwable e) { // a fault of methodbeat must not become the program's
            say("uploads are put off: " + e);
            return LATER_MS;
        } finally {
            IS_BUSY.set(false);
        }
    }

    private long send(UploadFiles files) throws IOException, GeneralSecurityException {
        try (RandomAccessFile file = new RandomAccessFile(files.state, "rw")) {
            long wait = file.getChannel().tryLock() != null ? 0 : LATER_MS; // another process sends
            UploadPace pace = new UploadPace(file.getChannel(), this);
            while (wait == 0 && files.fill((int) Math.min(uploadBytes, dayBytes), areAllSent)) {
                wait = sendOne(files.pack(), files, pace);
            }
            return wait;
        }
    }

    private long sendOne(byte[] body, UploadFiles files, UploadPace pace) throws IOException, GeneralSecurityException {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(body);
        String name = new BigInteger(1, hash).setBit(256).toString(16).substring(1, 33);
        long wait = pace.millisToWait(body.length);
        if (wait > 0 || !uploader.mayUpload(body.length)) {
            return wait > 0 ? wait : LATER_MS;
        }
        pace.begin(body.length);
        try {
            if (!isTaken(name, body)) {
                return Math.max(1, pace.millisToWait(0));
            }
            files.delete();
        } catch (Refused e) {
            say("upload " + name + " was refused, and is kept in " + files.keep(name) + ": " + e.getMessage());
        }
        pace.succeed();
        return 0;
    }

    private boolean isTaken(String name, byte[] body) throws Refused {
        try {
            return uploader.upload(name, body);
        } catch (Refused e) {
            throw e;
        } catch (Throwable e) { // the program's, or the network's
            say("upload " + name + " failed: " + e);
            return false;
        }
    }

    /** Without Log, which the agent may have put where this class cannot reach it. */
    static void say(String line) {
        System.err.println("methodbeat: " + line);
    }
}
