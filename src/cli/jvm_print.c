#include "cli/jvm_print.h"

#include "base/text.h"
#include "process/jvm_program.h"

#include <stdio.h>
#include <string.h>

enum column { PID, USER, JAVA, PROGRAM, STATE, COLUMN_COUNT };

#define CELL_SIZE 520

/* As it is printed. */
static void fill_cell(struct mb_buf *cell, const struct proc_jvm_entry *entry, enum column column)
{
    const char *const texts[COLUMN_COUNT] = {
        [JAVA] = entry->version,
        [PROGRAM] = proc_jvm_short_program(entry->program),
        [STATE] = entry->refusal[0] != '\0' ? entry->refusal
                  : entry->is_recording     ? "recording"
                                            : "ready",
    };

    char text[CELL_SIZE];

    mb_buf_reset(cell);
    if (column == PID) {
        (void)snprintf(text, sizeof(text), "%d", (int)entry->pid);
    } else if (column == USER) {
        proc_user_name(entry->uid, text, sizeof(text));
    } else {
        (void)snprintf(text, sizeof(text), "%s", texts[column][0] != '\0' ? texts[column] : "?");
    }
    mb_buf_put_printable(cell, mb_text_of(text));
}

/* The last one is not filled up. */
static void put_cell(struct mb_buf *out, struct mb_text cell, enum column column, size_t width)
{
    mb_buf_put(out, cell.data, cell.size);
    if (column == STATE) {
        mb_buf_put_u1(out, '\n');
    } else {
        mb_buf_printf(out, "%*s", (int)(width + 2 - cell.size), "");
    }
}

static struct mb_text text_of(const struct mb_buf *cell)
{
    return (struct mb_text){(const char *)cell->bytes, cell->size};
}

void cli_jvm_put_table(struct mb_buf *out, const struct proc_jvm_entry *entries, size_t count)
{
    static const char *const heads[COLUMN_COUNT] = {"PID", "USER", "JAVA", "PROGRAM", "STATE"};
    size_t widths[COLUMN_COUNT];
    struct mb_buf cell = {0};

    for (int c = 0; c < COLUMN_COUNT; c++) {
        widths[c] = strlen(heads[c]);
        for (size_t i = 0; i < count; i++) {
            fill_cell(&cell, &entries[i], (enum column)c);
            widths[c] = cell.size > widths[c] ? cell.size : widths[c];
        }
        put_cell(out, mb_text_of(heads[c]), (enum column)c, widths[c]);
    }
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < COLUMN_COUNT; c++) {
            fill_cell(&cell, &entries[i], (enum column)c);
            put_cell(out, text_of(&cell), (enum column)c, widths[c]);
        }
    }
    mb_buf_finish(&cell);
}
