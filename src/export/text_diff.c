/* Two traces side by side: methods are the same if their names are. */

#include "export/text.h"

#include <stdlib.h>

/* A method in the old trace, in the new one, or in both. */
struct pair {
    const struct trace_method *old;
    const struct trace_method *new;
    uint32_t id;    /* in the new one if it is there */
    size_t rank;    /* by name */
    int64_t old_ns; /* own time */
    int64_t new_ns;
};

static int64_t change_of(const struct pair *pair)
{
    return trace_subtract(pair->new_ns, pair->old_ns);
}

/* Without its sign; what a damaged trace holds may be the end of 64 bits. */
static int64_t size_of(int64_t change)
{
    return change >= 0 ? change : change == INT64_MIN ? INT64_MAX : -change;
}

/* The greatest change first, whichever its direction; of equal ones, by name. */
static int by_change(const void *a, const void *b)
{
    const struct pair *x = a;
    const struct pair *y = b;
    int64_t x_size = size_of(change_of(x));
    int64_t y_size = size_of(change_of(y));

    return x_size != y_size ? (x_size < y_size) - (x_size > y_size)
                            : (x->rank > y->rank) - (x->rank < y->rank);
}

/* A method of either trace, to be paired by its name. */
struct side {
    struct mb_text name; /* empty: none is known, and the id stands for it */
    const struct trace_method *method;
    int64_t ns;
    bool is_new;
};

static int compare_names(const struct side *a, const struct side *b)
{
    if (a->name.size == 0 && b->name.size == 0) {
        return (a->method->id > b->method->id) - (a->method->id < b->method->id);
    }
    return mb_text_compare(a->name, b->name);
}

/* By name, the old one first. */
static int by_name(const void *a, const void *b)
{
    const struct side *x = a;
    const struct side *y = b;
    int order = compare_names(x, y);

    return order != 0 ? order : (int)x->is_new - (int)y->is_new;
}

static void add_sides(struct mb_buf *sides, const struct export_report *report, bool is_new)
{
    for (size_t i = 0; i < report->method_count; i++) {
        const struct trace_method *method = &report->methods[i];
        const struct side side = {
            .name = report->names.find(report->names.context, method->id),
            .method = method,
            .ns = export_ns(report, method->self),
            .is_new = is_new,
        };
        mb_buf_put(sides, &side, sizeof(side));
    }
}

static void make_pairs(struct mb_buf *pairs, const struct mb_buf *sorted)
{
    const struct side *sides = (const void *)sorted->bytes;
    size_t count = sorted->size / sizeof(*sides);

    for (size_t i = 0; i < count; i++) {
        struct pair pair = {.rank = i};
        bool has_both = i + 1 < count && !sides[i].is_new && sides[i + 1].is_new &&
                        compare_names(&sides[i], &sides[i + 1]) == 0;
        pair.id = sides[i + has_both].method->id;
        if (!sides[i].is_new) {
            pair.old = sides[i].method;
            pair.old_ns = sides[i].ns;
        }
        i += has_both;
        if (sides[i].is_new) {
            pair.new = sides[i].method;
            pair.new_ns = sides[i].ns;
        }
        mb_buf_put(pairs, &pair, sizeof(pair));
    }
}

static void put_calls(struct mb_buf *out, const struct trace_method *method)
{
    if (method != NULL) {
        export_put_count(out, method->calls, 7);
    } else {
        mb_buf_printf(out, "%7s", "-");
    }
}

static void put_row(const struct export_report *report, const struct pair *pair, struct mb_buf *out)
{
    int64_t change = change_of(pair);
    const struct export_report *named = pair->new != NULL ? report : report->old;
    const char *word = pair->old == NULL   ? "new"
                       : pair->new == NULL ? "gone"
                       : change > 0        ? "slower"
                                           : "faster";
    struct export_report of = *report;

    of.names = named->names;
    mb_buf_put_string(out, change < 0 ? "  -" : "  +");
    export_put_time(out, size_of(change), 7);
    mb_buf_put_u1(out, ' ');
    export_put_time(out, pair->old_ns, 8);
    mb_buf_put_u1(out, ' ');
    export_put_time(out, pair->new_ns, 8);
    put_calls(out, pair->old);
    put_calls(out, pair->new);
    mb_buf_printf(out, "  %-6s ", word);
    export_put_method(&of, out, pair->id, 51);
    mb_buf_put_u1(out, '\n');
}

static void put_pairs(const struct export_report *report, struct mb_buf *pairs, struct mb_buf *out)
{
    struct pair *rows = (void *)pairs->bytes;
    size_t count = pairs->size / sizeof(*rows);
    size_t shown = 0;

    if (count > 0) {
        qsort(rows, count, sizeof(*rows), by_change);
    }
    mb_buf_printf(out, "  %8s %8s %8s%7s%7s\n", "own", "was", "is", "calls", "are");
    for (; shown < count && shown < report->top && change_of(&rows[shown]) != 0; shown++) {
        put_row(report, &rows[shown], out);
    }
    if (count > shown) {
        mb_buf_printf(out, "  (%zu more changed less, or not)\n", count - shown);
    }
}

void export_put_diff(const struct export_report *report, struct mb_buf *out)
{
    struct mb_buf sides = {0};
    struct mb_buf pairs = {0};

    export_put_heading(report, out, "Changes of own time since the old trace");
    add_sides(&sides, report->old, false);
    add_sides(&sides, report, true);
    if (sides.size > 0 && !sides.failed) {
        qsort(sides.bytes, sides.size / sizeof(struct side), sizeof(struct side), by_name);
        make_pairs(&pairs, &sides);
    }
    if (!sides.failed && !pairs.failed) {
        put_pairs(report, &pairs, out);
    } else {
        out->failed = true;
    }
    mb_buf_finish(&sides);
    mb_buf_finish(&pairs);
}
