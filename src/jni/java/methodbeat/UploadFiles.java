package methodbeat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/**
 * Files of a spool on their way: SPOOL/.uploads/pack has those of the next upload, .uploads/sent those of
 * the last one. They go from place to place by rename, which a full disk allows. Links are not followed.
 */
final class UploadFiles {
    private static final Pattern FINISHED = Pattern.compile("\\d{8}-(?:\\d{6}\\.\\d{3}-[A-Z_]{1,31}-"
            + "[0-9a-f]{8}-[0-9a-f]{1,16}-\\d{1,10}|(session)-[0-9a-f]{1,16})\\.json"); // with its day
    private static final int MOST_FILE = 2 << 20; // the spool's have less
    private static final int END = 16; // bytes that the end of gzip may take
    private static final String REFUSED = "refused-";
    private static final int MOST_REFUSED = 16;
    private static final long DAY_MS = 24 * 60 * 60 * 1000;
    private static final SortedMap<String, File> NONE = new TreeMap<>();

    final File state;
    private final File own;
    private final File spool; // all paths are canonical
    private final File pack;
    private final File sent;

    UploadFiles(File folder) throws IOException {
        spool = folder.getCanonicalFile();
        own = new File(spool, ".uploads");
        state = new File(own, "state");
        pack = new File(own, "pack");
        sent = new File(own, "sent");
        for (File file : new File[] {own, state, pack, sent}) {
            if (isLink(file)) {
                throw new IOException(file + " is a link");
            }
        }
        own.mkdir(); // if this fails, opening the state does too
        clear(sent); // a process was killed while it did
    }

    private static boolean isLink(File file) throws IOException {
        return !file.getCanonicalPath().equals(file.getPath());
    }

    private static String[] list(File folder) throws IOException {
        String[] names = isLink(folder) ? null : folder.list();
        return names != null ? names : new String[0];
    }

    /** Finished files, depth folders below this one, the oldest first, by day and name. */
    private static SortedMap<String, File> find(File folder, int depth, String prefix) throws IOException {
        SortedMap<String, File> found = new TreeMap<>();
        for (String name : list(folder)) {
            File file = new File(folder, name);
            if (depth > 0 && !name.startsWith(".")) {
                found.putAll(find(file, depth - 1, name + '-'));
            } else if (depth == 0 && FINISHED.matcher(prefix + name).matches() && file.isFile() && !isLink(file)) {
                found.put(prefix + name, file);
            }
        }
        return found;
    }

    private SortedMap<String, File> packed() throws IOException {
        return find(pack, 0, "");
    }

    private static byte[] read(File file) throws IOException {
        try (DataInputStream input = new DataInputStream(new FileInputStream(file))) {
            long size = file.length();
            if (size > MOST_FILE) {
                throw new IOException(file + " is too large to be of the spool");
            }
            byte[] text = new byte[(int) size];
            input.readFully(text);
            return text;
        }
    }

    /** Null: it is not to be sent, or the spool has removed it meanwhile. */
    private static byte[] readWanted(File file, boolean areAll) {
        try {
            byte[] text = read(file);
            boolean isWanted = file.getName().startsWith("session-") ? isOver(file) : areAll || isReported(text);
            return isWanted && text.length > 0 && text[0] == '{' ? text : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** A session's sums of a day are written again and again, but not on the next day. */
    private static boolean isOver(File file) {
        return System.currentTimeMillis() - file.lastModified() > DAY_MS;
    }

    /** The verdict ends the issue, which is the first line; quotes within its texts have backslashes. */
    private static boolean isReported(byte[] text) throws IOException {
        String issue = new String(text, "ISO-8859-1").split("\n", 2)[0];
        return issue.startsWith("\"report\":true", issue.lastIndexOf("\"report\":"));
    }

    /** Unless files wait in the pack, move some there, most bytes together. False if none are there then. */
    boolean fill(int most, boolean areAll) throws IOException {
        Body body = new Body();
        pack.mkdir();
        for (SortedMap.Entry<String, File> entry : (packed().isEmpty() ? find(spool, 2, "") : NONE).entrySet()) {
            File file = entry.getValue();
            byte[] text = readWanted(file, areAll);
            int count = text != null ? body.add(text) : 0;
            if (count > 0 && body.size() <= most) {
                if (!file.renameTo(new File(pack, entry.getKey())) && file.exists()) {
                    throw new IOException(file + " cannot be moved");
                }
            } else if (count > 1) {
                break;
            } else if (count == 1) {
                Uploads.say(file + " is too large for an upload");
                body = new Body();
            }
        }
        return !packed().isEmpty();
    }

    /** Of the same files, the same bytes. */
    byte[] pack() throws IOException {
        Body body = new Body();
        for (File file : packed().values()) {
            body.add(read(file));
        }
        body.gzip.close();
        return body.bytes.toByteArray();
    }

    private static final class Body {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final GZIPOutputStream gzip = new GZIPOutputStream(bytes, 512, true);
        private int count;

        Body() throws IOException {}

        /** As whole lines. Returns how many texts there are. */
        int add(byte[] text) throws IOException {
            gzip.write(text);
            if (text.length == 0 || text[text.length - 1] != '\n') {
                gzip.write('\n');
            }
            gzip.flush();
            return ++count;
        }

        int size() {
            return bytes.size() + END;
        }
    }

    /** The pack, which the server has: by one rename, so that no part of it is sent again. */
    void delete() throws IOException {
        if (!pack.renameTo(sent)) {
            clear(pack);
        }
        clear(sent);
        if (!packed().isEmpty()) {
            throw new IOException(pack + " cannot be emptied");
        }
    }

    /** Of refused uploads the last ones stay, each in a folder whose path is returned. */
    File keep(String name) throws IOException {
        TreeSet<String> kept = new TreeSet<>();
        for (String other : list(own)) {
            if (other.startsWith(REFUSED)) {
                kept.add(other);
            }
        }
        while (kept.size() >= MOST_REFUSED) {
            clear(new File(own, kept.pollFirst()));
        }
        File to = new File(own, REFUSED + System.currentTimeMillis() + '-' + name);
        if (!pack.renameTo(to)) {
            throw new IOException(pack + " cannot be moved");
        }
        return to;
    }

    /** A link is deleted, not what it leads to. */
    private static void clear(File folder) throws IOException {
        for (String name : list(folder)) {
            new File(folder, name).delete();
        }
        folder.delete();
    }
}
