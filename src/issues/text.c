#include "issues/output.h"

#include "abi/issue.h"
#include "formats/text.h"
#include "issues/stacks.h"

#include <inttypes.h>
#include <stdio.h>

#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"
#define MOST_LINES 8u /* of a stack */
#define MOST_INDENT 12u
#define MARGIN 13u /* of what follows a label */
#define CALLS_COLUMN 29u

/* A page at work. */
struct typing {
    const struct issues_page *page;
    const struct format_look look;
    struct mb_buf *out;
    struct mb_buf text; /* of a paragraph */
};

static void put_name(struct typing *t, struct mb_text name, size_t used)
{
    answer_put_fitting(&t->text, name, format_room(&t->look, used));
}

static void put_paragraph(struct typing *t)
{
    format_put_paragraph(&t->look, t->out, &t->text);
    mb_buf_reset(&t->text);
}

static void put_item(struct typing *t, const char *label)
{
    format_put_item(&t->look, t->out, label, &t->text);
    mb_buf_reset(&t->text);
}

static void put_number(struct mb_buf *out, uint64_t number, const char *one, const char *many)
{
    answer_put_count(out, number, 0);
    mb_buf_printf(out, " %s", number == 1 ? one : many);
}

/* ---- The first lines ---- */

/* "2026-09-21 14:13:21 to 14:13:58 UTC" */
static void put_times(struct mb_buf *out, int64_t first_ms, int64_t last_ms)
{
    char first[ANSWER_TIME_SIZE];
    char last[ANSWER_TIME_SIZE];

    answer_format_time(first, first_ms);
    answer_format_time(last, last_ms);
    mb_buf_put_string(out, first);
    if (strcmp(first, last) != 0) {
        bool is_one_day = strlen(first) > 11 && strncmp(first, last, 11) == 0;
        mb_buf_printf(out, " to %s", last + (is_one_day ? 11 : 0));
    }
    mb_buf_put_string(out, " UTC");
}

static void put_label(struct typing *t, const struct answer_cause *group)
{
    struct mb_text label = group->label;

    put_name(t, label.size > 0 ? label : MB_TEXT("(not told)"), 0);
}

static void put_headline(struct typing *t)
{
    const struct issues_groups *groups = t->page->groups;
    const struct answer_cause *first = groups->rows.items;

    if (groups->issue_count == 0) {
        mb_buf_put_string(&t->text, "No issue.");
    } else {
        put_number(&t->text, groups->issue_count, "issue", "issues");
        if (groups->first_ms != ANSWER_UNKNOWN) {
            mb_buf_put_string(&t->text, ", ");
            put_times(&t->text, groups->first_ms, groups->last_ms);
        }
        mb_buf_put_string(&t->text, ". Worst: ");
        put_label(t, first);
        mb_buf_put_string(&t->text, ", ");
        answer_put_time(&t->text, first->total_ns, 0);
        mb_buf_put_string(&t->text, " of ");
        answer_put_time(&t->text, groups->total_ns, 0);
        mb_buf_put_string(&t->text, " in all.");
    }
    mb_buf_put_string(t->out, t->page->colour ? BOLD : "");
    put_paragraph(t);
    mb_buf_put_string(t->out, t->page->colour ? PLAIN : "");
}

/* ---- A group ---- */

/* "18.1 s in 4 issues: 3 LAG, 1 HANG"; of one issue the next line says all. */
static void put_sum(struct typing *t, const struct answer_cause *group)
{
    if (group->count == 1) {
        return;
    }
    if (group->total_ns > 0) {
        answer_put_time(&t->text, group->total_ns, 0);
        mb_buf_put_string(&t->text, " in ");
    }
    put_number(&t->text, group->count, "issue", "issues");
    for (size_t i = 0; i < ANSWER_MOST_DETAILS && group->details[i].count > 0; i++) {
        struct mb_text detail = group->details[i].detail;
        mb_buf_put_string(&t->text, i == 0 ? ": " : ", ");
        answer_put_count(&t->text, group->details[i].count, 0);
        mb_buf_put_u1(&t->text, ' ');
        put_name(t, detail.size > 0 ? detail : MB_TEXT("others"), MARGIN);
    }
    put_item(t, "together");
}

/* What the limits of a spool left out, or is in other files: other groups may have the same key on
 * the device, so only what all groups together cannot have is told. */
static void put_seen(struct typing *t, const struct answer_cause *group)
{
    if (group->seen > t->page->groups->issue_count) {
        answer_put_count(&t->text, group->seen, 0);
        mb_buf_put_string(&t->text,
                          " or more on one device, of which some were not written or are not here");
        put_item(t, "a day");
    }
}

static void put_longest(struct typing *t, const struct answer_issue *issue)
{
    static const char *const loads[] = {"", ", blocked", ", busy"};

    if (issue->cost_ns != ANSWER_UNKNOWN) {
        answer_put_time(&t->text, issue->cost_ns, 0);
        mb_buf_put_u1(&t->text, ' ');
    }
    put_name(t, issue->detail, MARGIN);
    mb_buf_put_string(&t->text, loads[issue->load]);
    if (issue->ended.size > 0) {
        mb_buf_put_string(&t->text, ", ended: ");
        put_name(t, issue->ended, MARGIN);
    }
    if (issue->when.until_ms != ANSWER_UNKNOWN) {
        mb_buf_put_string(&t->text, ", until ");
        put_times(&t->text, issue->when.until_ms, issue->when.until_ms);
    }
    put_item(t, "longest");
}

static void put_part(struct typing *t, const char *what, struct mb_text text)
{
    if (text.size > 0) {
        mb_buf_put_string(&t->text, t->text.size > 0 ? ", " : "");
        mb_buf_put_string(&t->text, what);
        put_name(t, text, MARGIN + strlen(what) + 1);
    }
}

/* A terminal gets plain spaces. */
static void put_figures(struct typing *t, struct mb_text rest)
{
    const struct mb_text space = MB_TEXT("\xc2\xa0");
    size_t size = 0;

    while (size < rest.size) {
        if (mb_text_starts(mb_text_from(rest, size), space)) {
            mb_buf_put_printable(&t->text, (struct mb_text){rest.data, size});
            mb_buf_put_u1(&t->text, ' ');
            rest = mb_text_from(rest, size + space.size);
            size = 0;
        } else {
            size++;
        }
    }
    mb_buf_put_printable(&t->text, rest);
}

static void put_where(struct typing *t, const struct answer_issue *issue)
{
    put_part(t, "", issue->process);
    put_part(t, "scene ", issue->scene);
    put_part(t, "loop ", issue->loop);
    if (t->text.size > 0) {
        put_item(t, "where");
    }
    if (issue->message.size > 0) {
        put_name(t, issue->message, MARGIN);
        put_item(t, "message");
    }
    if (issue->system.size > 0) {
        put_name(t, issue->system, MARGIN);
        put_item(t, "system");
    }
    if (issue->told.size > 0) {
        put_name(t, issue->told, MARGIN);
        put_item(t, "told");
    }
    if (issue->often.size > 0) {
        put_figures(t, issue->often);
        put_item(t, "often");
    }
    if (issue->figures.size > 0) {
        put_figures(t, issue->figures);
        put_item(t, "figures");
    }
}

static void put_origins(struct typing *t, const struct answer_cause *group)
{
    static const char *const labels[] = {"versions", "devices"};

    for (size_t i = 0; i < ANSWER_ORIGINS; i++) {
        if (group->origins[i].count > 0) {
            issues_put_origins(&t->text, &group->origins[i], format_room(&t->look, MARGIN));
            put_item(t, labels[i]);
        }
    }
}

static void put_frame(struct typing *t, struct mb_text frame)
{
    mb_buf_printf(t->out, "%*s", (int)MARGIN, "");
    answer_put_fitting(t->out, frame, format_room(&t->look, MARGIN));
    mb_buf_put_u1(t->out, '\n');
}

static void put_more(struct typing *t, size_t count)
{
    if (count > 0) {
        mb_buf_printf(t->out, "%*s(%zu more)\n", (int)MARGIN, "", count);
    }
}

/* How many frames there are, and that there were more. */
static void put_rest(struct typing *t, struct mb_text frames)
{
    struct mb_text last = {0};
    size_t count = 0;

    for (; frames.size > 0; count++) {
        last = mb_text_split(&frames, '\n');
    }
    if (mb_text_is(last, ISSUES_CUT_STACK)) {
        mb_buf_printf(t->out, "%*s(%zu more, and those cut off at 64 KiB)\n", (int)MARGIN, "",
                      count - 1);
    } else {
        put_more(t, count);
    }
}

static void put_stack(struct typing *t, const struct answer_issue *issue)
{
    struct mb_text frames = issue->frames;
    size_t lines = 0;

    if (frames.size == 0) {
        return;
    }
    mb_buf_put_string(&t->text, "innermost first");
    if (issue->repeats > 0) {
        mb_buf_printf(&t->text, ", seen in %" PRIu32 " of %" PRIu32 " samples", issue->repeats,
                      issue->samples);
    }
    put_item(t, "stack");
    for (; frames.size > 0 && lines < MOST_LINES; lines++) {
        put_frame(t, mb_text_split(&frames, '\n'));
    }
    put_rest(t, frames);
    if (issue->threads.size > 0) {
        mb_buf_put_string(&t->text, "--format json shows the stacks of all");
        put_item(t, "threads");
    }
}

static void put_call(struct typing *t, const struct answer_issue *issue,
                     const struct issues_item *item)
{
    struct mb_text name = issues_name(t->page->names, &issue->when, item->id);
    unsigned indent = item->depth < MOST_INDENT ? (unsigned)item->depth : MOST_INDENT;
    char number[24];

    if (name.size == 0) {
        (void)snprintf(number, sizeof(number), "#%" PRIu64, item->id);
        name = mb_text_of(number);
    }
    mb_buf_printf(t->out, "%*s", (int)MARGIN, "");
    answer_put_time(t->out, item->ms * 1000000, 7);
    mb_buf_put_u1(t->out, ' ');
    answer_put_count(t->out, item->count, 6);
    mb_buf_printf(t->out, "  %*s", (int)indent, "");
    answer_put_fitting(t->out, name, format_room(&t->look, CALLS_COLUMN + indent));
    mb_buf_put_u1(t->out, '\n');
}

static void put_calls(struct typing *t, const struct answer_issue *issue)
{
    struct mb_text stack = issue->stack;
    struct issues_item item;
    size_t count = 0;

    while (issues_take_item(&stack, &item)) {
        if (count == 0) {
            mb_buf_printf(t->out, "  %-11s%7s %6s\n", "calls", "time", "calls");
        }
        if (count++ < MOST_LINES) {
            put_call(t, issue, &item);
        }
    }
    put_more(t, count > MOST_LINES ? count - MOST_LINES : 0);
}

static void put_group(struct typing *t, const struct answer_cause *group)
{
    const struct answer_issue *issue = group->worst;

    mb_buf_put_string(t->out, t->page->colour ? "\n" BOLD : "\n");
    put_label(t, group);
    put_paragraph(t);
    mb_buf_put_string(t->out, t->page->colour ? PLAIN : "");
    put_sum(t, group);
    put_seen(t, group);
    put_origins(t, group);
    put_longest(t, issue);
    put_where(t, issue);
    put_stack(t, issue);
    put_calls(t, issue);
    mb_buf_put_printable(&t->text, issue->file);
    mb_buf_printf(&t->text, ":%" PRIu32, issue->line);
    put_item(t, "file");
}

/* ---- What is not there ---- */

static void put_note(struct typing *t, uint64_t count, const char *one, const char *many)
{
    if (count > 0) {
        put_number(&t->text, count, one, many);
        put_paragraph(t);
    }
}

static void put_missing_maps(struct typing *t)
{
    uint64_t mapping;

    for (size_t i = 0; issues_names_missing(t->page->names, i, &mapping); i++) {
        mb_buf_put_string(&t->text, "Methods have numbers: no method map ");
        if (mapping != 0) {
            mb_buf_printf(&t->text, "with the hash %016" PRIx64 " ", mapping);
        }
        mb_buf_put_string(&t->text, "is beside the inputs; --method-map names it, or its folder.");
        put_paragraph(t);
    }
}

static void put_notes(struct typing *t)
{
    const struct issues_page *page = t->page;
    size_t groups = MB_VEC_COUNT(&page->groups->rows);

    mb_buf_put_u1(t->out, '\n');
    put_note(t, groups > page->top ? groups - page->top : 0, "more group: --top shows more.",
             "more groups: --top shows more.");
    put_note(t, page->groups->left_out, "issue is left out by --detail and --since.",
             "issues are left out by --detail and --since.");
    put_note(t, page->all->other_count, "issue of frames or start-up is not shown.",
             "issues of frames or start-up are not shown.");
    put_note(t, page->all->double_count, "issue was told again, and counts once.",
             "issues were told again, and count once.");
    put_note(t, page->all->damage_count, "place could not be read.", "places could not be read.");
    put_missing_maps(t);
    if (t->out->size > 0 && t->out->bytes[t->out->size - 1] == '\n' &&
        (t->out->size < 2 || t->out->bytes[t->out->size - 2] == '\n')) {
        t->out->size--; /* there was nothing to note */
    }
}

static void put_text(const struct issues_page *page, struct mb_buf *out)
{
    struct typing t = {
        .page = page, .look = {.columns = page->columns, .colour = page->colour}, .out = out};
    size_t count;
    const struct answer_cause *rows = issues_rows(page, &count);

    put_headline(&t);
    for (size_t i = 0; i < count; i++) {
        put_group(&t, &rows[i]);
    }
    put_notes(&t);
    mb_buf_finish_part(out, &t.text);
}

const struct issues_format issues_text = {.name = "text", .put = put_text};
