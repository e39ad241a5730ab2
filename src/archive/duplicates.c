#include "archive/duplicates.h"

#include <stdlib.h>

/* Keep the first place and the last content of each name. Fills table, whose size is a power of
 * two, with index + 1. */
static void keep_last(struct ar_input *input, uint32_t *table, size_t mask)
{
    size_t kept = 0;

    for (size_t i = 0; i < input->count; i++) {
        struct ar_entry *entry = &input->entries[i];
        size_t slot = (size_t)mb_text_hash(entry->name) & mask;
        while (table[slot] != 0 &&
               !mb_text_equal(input->entries[table[slot] - 1].name, entry->name)) {
            slot = (slot + 1) & mask;
        }
        if (table[slot] != 0) {
            input->duplicate_count += entry->kind != AR_ENTRY_DIRECTORY;
            input->entries[table[slot] - 1] = *entry;
            continue;
        }
        input->entries[kept++] = *entry;
        table[slot] = (uint32_t)kept;
    }
    input->count = kept;
}

enum mb_status ar_drop_duplicates(struct ar_input *input, struct mb_error *err)
{
    size_t slots = 16;

    while (slots < input->count * 2) {
        slots *= 2;
    }
    uint32_t *table = calloc(slots, sizeof(*table));
    if (table == NULL) {
        return mb_fail_memory(err);
    }
    keep_last(input, table, slots - 1);
    free(table);
    return MB_OK;
}
