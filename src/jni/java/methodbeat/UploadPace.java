package methodbeat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * When the next upload may be, kept over restarts in a file that is written in place, which a full disk
 * allows. Times are milliseconds since 1970.
 */
final class UploadPace {
    private static final long DAY_MS = 24 * 60 * 60 * 1000;

    private final FileChannel file;
    private final Uploads limits;

    // what is kept
    private long failures;
    private long next;
    private long day;
    private long bytes; // of that day

    UploadPace(FileChannel file, Uploads limits) throws IOException {
        this.file = file;
        this.limits = limits;
        ByteBuffer values = ByteBuffer.allocate(4 * 8);
        if (file.read(values, 0) == values.capacity()) {
            values.flip();
            failures = Math.max(0, values.getLong());
            next = values.getLong();
            day = values.getLong();
            bytes = Math.max(0, values.getLong());
        }
    }

    private void save() throws IOException {
        ByteBuffer values = ByteBuffer.allocate(4 * 8);
        values.putLong(failures).putLong(next).putLong(day).putLong(bytes).flip();
        file.write(values, 0);
    }

    /** After failures, and for a day with room. A clock that was put back is no reason to wait for ever. */
    long millisToWait(long size) {
        long now = System.currentTimeMillis();
        if (now / DAY_MS == day && bytes > 0 && bytes + size > limits.dayBytes) {
            return DAY_MS - now % DAY_MS;
        }
        return next - now > limits.mostMillis ? 0 : Math.max(0, next - now);
    }

    /** It counts as failed until succeed, so that who is killed meanwhile waits, too. */
    void begin(long size) throws IOException {
        long now = System.currentTimeMillis();
        double longest = Math.min(limits.mostMillis, limits.firstMillis * Math.pow(2, failures));
        bytes = now / DAY_MS == day ? bytes + size : size;
        day = now / DAY_MS;
        failures++;
        next = now + (long) (longest * (1 + Math.random()) / 2);
        save();
    }

    void succeed() throws IOException {
        failures = 0;
        next = 0;
        save();
    }
}
