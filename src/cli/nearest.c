#include "cli/nearest.h"

#include <stdbool.h>
#include <string.h>

#define MAX_SIZE 31 /* longer than all our names */

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Computes the table of prefixes row by row, keeping the last two and the current one. */
static size_t count_edits(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[3][MAX_SIZE + 1] = {{0}};

    for (size_t j = 0; j <= b_size; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t changed = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least_of(changed, least_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least_of(row[j], rows[(i + 1) % 3][j - 2] + 1);
            }
        }
    }
    return rows[a_size % 3][b_size];
}

void cli_nearest_offer(struct cli_nearest *nearest, const char *name)
{
    size_t word_size = strlen(nearest->word);
    size_t name_size = strlen(name);

    if (word_size == 0 || word_size > MAX_SIZE || name_size > MAX_SIZE) {
        return;
    }
    bool is_start = strncmp(nearest->word, name, word_size) == 0;
    size_t edits = is_start ? 0 : count_edits(nearest->word, word_size, name, name_size);
    if (edits * 3 <= name_size && (nearest->best == NULL || edits < nearest->distance)) {
        nearest->best = name;
        nearest->distance = edits;
    }
}
