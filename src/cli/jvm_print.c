#include "cli/jvm_print.h"

#include "base/text.h"
#include "cli/jvm_program.h"

#include <stdio.h>
#include <string.h>

enum column { PID, USER, JAVA, PROGRAM, STATE, COLUMN_COUNT };

#define CELL_SIZE 520

static void fill_cell(char cell[CELL_SIZE], const struct cli_jvm_entry *entry, enum column column)
{
    const char *const texts[COLUMN_COUNT] = {
        [JAVA] = entry->version,
        [PROGRAM] = cli_jvm_short_program(entry->program),
        [STATE] = entry->refusal[0] != '\0' ? entry->refusal
                  : entry->is_recording     ? "recording"
                                            : "ready",
    };

    if (column == PID) {
        (void)snprintf(cell, CELL_SIZE, "%d", (int)entry->pid);
    } else if (column == USER) {
        cli_user_name(entry->uid, cell, CELL_SIZE);
    } else {
        (void)snprintf(cell, CELL_SIZE, "%s", texts[column][0] != '\0' ? texts[column] : "?");
    }
}

/* The last one is not filled up. */
static void put_cell(struct mb_buf *out, const char *cell, enum column column, size_t width)
{
    size_t start = out->size;

    mb_buf_put_printable(out, mb_text_of(cell));
    if (column == STATE) {
        mb_buf_put_u1(out, '\n');
        return;
    }
    do {
        mb_buf_put_u1(out, ' ');
    } while (!out->failed && out->size - start < width + 2);
}

void cli_jvm_put_table(struct mb_buf *out, const struct cli_jvm_entry *entries, size_t count)
{
    static const char *const heads[COLUMN_COUNT] = {"PID", "USER", "JAVA", "PROGRAM", "STATE"};
    size_t widths[COLUMN_COUNT];
    char cell[CELL_SIZE];

    for (int c = 0; c < COLUMN_COUNT; c++) {
        widths[c] = strlen(heads[c]);
        for (size_t i = 0; i < count; i++) {
            fill_cell(cell, &entries[i], (enum column)c);
            widths[c] = strlen(cell) > widths[c] ? strlen(cell) : widths[c];
        }
        put_cell(out, heads[c], (enum column)c, widths[c]);
    }
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < COLUMN_COUNT; c++) {
            fill_cell(cell, &entries[i], (enum column)c);
            put_cell(out, cell, (enum column)c, widths[c]);
        }
    }
}
