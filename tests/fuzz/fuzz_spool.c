/* What a process that died left, in any bytes: counts are refused, or say the same when written
 * again; a note is refused, or all its texts lie inside it. */

#include "fuzz.h"

#include "spool/counts.h"
#include "spool/notes.h"

#include <string.h>

static struct spool_counts counts;
static struct spool_counts again;
static struct spool_note note;

static void read_counts(struct mb_text text)
{
    struct mb_buf written = {0};

    if (!spool_counts_read(&counts, text)) {
        return;
    }
    spool_counts_put(&written, &counts);
    PROMISE(!written.failed);
    PROMISE(spool_counts_read(&again, (struct mb_text){(const char *)written.bytes, written.size}));
    PROMISE(again.quota.day == counts.quota.day);
    PROMISE(again.quota.key_count == counts.quota.key_count);
    PROMISE(memcmp(again.quota.results, counts.quota.results, sizeof(counts.quota.results)) == 0);
    PROMISE(spool_incident_is(again.last, counts.last));
    mb_buf_finish(&written);
}

static uint64_t sum_text(struct spool_note_text text)
{
    return mb_text_hash(spool_note_text_of(&note, text));
}

/* As it is, and with sums that are right, as no accident makes them. */
static void read_note(const uint8_t *bytes, size_t size)
{
    static volatile uint64_t sum;

    memset(&note, 0, sizeof(note));
    memcpy(&note, bytes, size < sizeof(note) ? size : sizeof(note));
    for (int seal = 0; seal < 2; seal++) {
        if (spool_note_is_valid(&note)) {
            sum = sum_text(note.loop_name) + sum_text(note.message) + sum_text(note.scene);
            sum += sum_text(note.own_detail) + sum_text(note.own_key) + sum_text(note.own_thread);
            for (uint32_t i = 0; i < note.frame_count; i++) {
                sum = sum + sum_text(note.frames[i]);
            }
            PROMISE(note.items.count <= MON_ITEM_COUNT);
            PROMISE(note.value_size <= SPOOL_NOTE_VALUE_SIZE);
        }
        spool_note_seal(&note);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct spool_file_name name;

    read_counts((struct mb_text){(const char *)bytes, size});
    read_note(bytes, size);
    (void)spool_file_name_read(&name, (struct mb_text){(const char *)bytes, size});
    return 0;
}
