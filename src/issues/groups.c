#include "issues/output.h"

#include "abi/names.h"
#include "answer/words.h"
#include "base/strmap.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_TOTAL_NS (INT64_MAX / 2)

/* Grouping at work. */
struct grouping {
    struct issues_groups *groups;
    struct issues_collection *all;
    struct issues_names *names;
    struct mb_strmap rows; /* label -> number of its row and one more */
    struct mb_buf scratch;
};

/* ---- What an issue is grouped by ---- */

/* Without a name, an id with what tells it from the same id of another program. */
static struct mb_text label_method(struct grouping *g, const struct answer_issue *issue)
{
    struct mb_text name = issues_name(g->names, &issue->when, issue->key);

    if (name.size > 0) {
        return name;
    }
    mb_buf_reset(&g->scratch);
    mb_buf_printf(&g->scratch, "#%" PRIu32, issue->key);
    if (issue->when.mapping != 0) {
        mb_buf_printf(&g->scratch, " of map %016" PRIx64, issue->when.mapping);
    }
    return (struct mb_text){(const char *)g->scratch.bytes, g->scratch.size};
}

/* "checkout cart.empty" */
static struct mb_text label_told(struct grouping *g, const struct answer_issue *issue)
{
    const struct mb_text detail = issue->detail;
    const struct mb_text key = issue->told_key;

    mb_buf_reset(&g->scratch);
    mb_buf_put(&g->scratch, detail.data, detail.size);
    mb_buf_put_u1(&g->scratch, ' ');
    mb_buf_put(&g->scratch, key.data, key.size);
    return (struct mb_text){(const char *)g->scratch.bytes, g->scratch.size};
}

/* "a.b.C.load in java.net.SocketInputStream.read" */
static struct mb_text label_waiting(struct grouping *g, const struct answer_issue *issue)
{
    mb_buf_reset(&g->scratch);
    mb_buf_put(&g->scratch, issue->app_key.data, issue->app_key.size);
    mb_buf_put_string(&g->scratch, " in ");
    mb_buf_put(&g->scratch, issue->waits_in.data, issue->waits_in.size);
    return (struct mb_text){(const char *)g->scratch.bytes, g->scratch.size};
}

static struct mb_text label_key(struct grouping *g, const struct answer_issue *issue)
{
    if (issue->key != 0 && issue->key != ABI_MESSAGE_ID) {
        return label_method(g, issue);
    }
    if (issue->told_key.size > 0) {
        return label_told(g, issue);
    }
    if (issue->app_key.size > 0) {
        return issue->waits_in.size > 0 ? label_waiting(g, issue) : issue->app_key;
    }
    return issue->message.size > 0 ? issue->message : issue->detail;
}

static struct mb_text label_detail(struct grouping *g, const struct answer_issue *issue)
{
    (void)g;
    return issue->detail;
}

static struct mb_text label_scene(struct grouping *g, const struct answer_issue *issue)
{
    (void)g;
    return issue->scene;
}

static struct mb_text label_app(struct grouping *g, const struct answer_issue *issue)
{
    (void)g;
    return issue->process;
}

static struct mb_text label_day(struct grouping *g, const struct answer_issue *issue)
{
    char text[ANSWER_TIME_SIZE];

    mb_buf_reset(&g->scratch);
    if (issue->when.until_ms != ANSWER_UNKNOWN) {
        answer_format_time(text, issue->when.until_ms);
        mb_buf_put(&g->scratch, text, strnlen(text, 10));
    }
    return (struct mb_text){(const char *)g->scratch.bytes, g->scratch.size};
}

static struct mb_text (*const labels[])(struct grouping *, const struct answer_issue *) = {
    [ISSUES_BY_KEY] = label_key, [ISSUES_BY_DETAIL] = label_detail, [ISSUES_BY_SCENE] = label_scene,
    [ISSUES_BY_APP] = label_app, [ISSUES_BY_DAY] = label_day,
};

/* ---- Groups ---- */

static struct answer_cause *find_group(struct grouping *g, struct mb_text label)
{
    static const struct mb_text none = MB_TEXT_ROW("");
    size_t size = label.size < UINT16_MAX ? label.size : UINT16_MAX;

    label = size > 0 ? (struct mb_text){label.data, size} : none;
    void **slot = mb_strmap_slot(&g->rows, label.data, label.size);
    if (slot == NULL) {
        return NULL;
    }
    if (*slot == NULL) {
        uint32_t name = size > 0 ? mb_intern_add(g->all->texts, label) : MB_INTERN_NONE;
        const struct answer_cause empty = {.label = mb_intern_get(g->all->texts, name),
                                           .first_ms = ANSWER_UNKNOWN,
                                           .last_ms = ANSWER_UNKNOWN};
        MB_VEC_PUSH(&g->groups->rows, empty);
        if (g->groups->rows.buf.failed || (size > 0 && name == MB_INTERN_NONE)) {
            return NULL;
        }
        *slot = (void *)(uintptr_t)MB_VEC_COUNT(&g->groups->rows);
    }
    return &g->groups->rows.items[(uintptr_t)*slot - 1];
}

static void count_detail(struct answer_cause *group, struct mb_text detail)
{
    struct answer_detail_count *row = group->details;

    while (row < &group->details[ANSWER_MOST_DETAILS - 1] && row->count > 0 &&
           !mb_text_equal(row->detail, detail)) {
        row++;
    }
    bool is_other = row->count > 0 && !mb_text_equal(row->detail, detail);
    row->detail = is_other ? MB_TEXT("") : detail;
    row->count++;
}

static void add_time(int64_t *first_ms, int64_t *last_ms, int64_t ms)
{
    if (ms != ANSWER_UNKNOWN) {
        *first_ms = *first_ms == ANSWER_UNKNOWN || ms < *first_ms ? ms : *first_ms;
        *last_ms = ms > *last_ms ? ms : *last_ms; /* ANSWER_UNKNOWN is the least */
    }
}

static void add_total(int64_t *total_ns, int64_t cost_ns)
{
    if (cost_ns != ANSWER_UNKNOWN && *total_ns < MOST_TOTAL_NS) {
        *total_ns += cost_ns;
    }
}

static bool add_issue(struct grouping *g, enum issues_grouping grouping,
                      const struct answer_issue *issue)
{
    struct answer_cause *group = find_group(g, labels[grouping](g, issue));

    if (group == NULL || g->scratch.failed) {
        return false;
    }
    MB_VEC_PUSH(&g->groups->labels, group->label);
    if (group->worst == NULL || issue->cost_ns > group->worst->cost_ns) {
        group->worst = issue;
    }
    group->count++;
    group->seen = issue->seen > group->seen ? issue->seen : group->seen;
    count_detail(group, issue->detail);
    add_total(&group->total_ns, issue->cost_ns);
    add_total(&g->groups->total_ns, issue->cost_ns);
    add_time(&group->first_ms, &group->last_ms, issue->when.until_ms);
    add_time(&g->groups->first_ms, &g->groups->last_ms, issue->when.until_ms);
    g->groups->issue_count++;
    return issues_origins_add(&g->groups->origins, (size_t)(group - g->groups->rows.items),
                              issue->origins);
}

static bool is_wanted(const struct issues_filter *filter, const struct answer_issue *issue)
{
    struct mb_text details = mb_text_of(filter->details != NULL ? filter->details : "");
    bool is_named = filter->details == NULL;

    while (details.size > 0) {
        is_named = mb_text_equal_any_case(mb_text_split(&details, ','), issue->detail) || is_named;
    }
    return is_named && (filter->since_ms == 0 || issue->when.until_ms >= filter->since_ms);
}

/* The greatest total first; of equal ones the more issues, then by the one that was read first. */
static int by_total(const void *a, const void *b)
{
    const struct answer_cause *x = a;
    const struct answer_cause *y = b;

    if (x->total_ns != y->total_ns) {
        return x->total_ns < y->total_ns ? 1 : -1;
    }
    if (x->count != y->count) {
        return x->count < y->count ? 1 : -1;
    }
    return (x->worst > y->worst) - (x->worst < y->worst);
}

enum mb_status issues_group(struct issues_groups *groups, struct issues_collection *all,
                            struct issues_names *names, enum issues_grouping grouping,
                            const struct issues_filter *filter, struct mb_error *err)
{
    struct grouping g = {.groups = groups, .all = all, .names = names};
    const struct mb_text none = MB_TEXT_ROW("");
    bool has_memory = true;
    size_t count;
    const struct answer_issue *issues = issues_all(all, &count);

    *groups = (struct issues_groups){.first_ms = ANSWER_UNKNOWN, .last_ms = ANSWER_UNKNOWN};
    for (size_t i = 0; has_memory && i < count; i++) {
        if (is_wanted(filter, &issues[i])) {
            has_memory = add_issue(&g, grouping, &issues[i]);
        } else {
            groups->left_out++;
            MB_VEC_PUSH(&groups->labels, none);
        }
    }
    issues_origins_hand_out(&groups->origins, groups->rows.items);
    MB_VEC_SORT(&groups->rows, by_total);
    mb_strmap_finish(&g.rows);
    mb_buf_finish(&g.scratch);
    return has_memory ? mb_buf_check(&groups->labels.buf, err) : mb_fail_memory(err);
}

void issues_groups_finish(struct issues_groups *groups)
{
    mb_buf_finish(&groups->rows.buf);
    mb_buf_finish(&groups->labels.buf);
    issues_origins_finish(&groups->origins);
}

/* ---- From which versions and devices they come ---- */

/* A pool has each name once: where it lies tells which it is. No byte of this is padding. */
struct place {
    size_t group;
    size_t origin;
    const char *name;
};

static bool count_one(struct issues_origins *all, const struct answer_origin_count *one)
{
    const struct place place = {one->cause, one->origin, one->name.data};
    void **slot = mb_strmap_slot(&all->places, (const char *)&place, sizeof(place));

    if (slot == NULL) {
        return false;
    }
    if (*slot == NULL) {
        MB_VEC_PUSH(&all->rows, *one);
        *slot = (void *)(uintptr_t)MB_VEC_COUNT(&all->rows);
    }
    if (!all->rows.buf.failed) {
        all->rows.items[(uintptr_t)*slot - 1].count++;
    }
    return !all->rows.buf.failed;
}

bool issues_origins_add(struct issues_origins *all, size_t group,
                        const struct mb_text names[ANSWER_ORIGINS])
{
    bool has_memory = true;

    for (unsigned i = 0; has_memory && i < ANSWER_ORIGINS; i++) {
        const struct answer_origin_count one = {
            .name = names[i], .cause = group, .origin = (enum answer_origin)i};
        has_memory = names[i].size == 0 || count_one(all, &one);
    }
    return has_memory;
}

/* By group and origin; the greatest count first. */
static int by_count(const void *a, const void *b)
{
    const struct answer_origin_count *x = a;
    const struct answer_origin_count *y = b;

    if (x->cause != y->cause) {
        return x->cause < y->cause ? -1 : 1;
    }
    if (x->origin != y->origin) {
        return x->origin < y->origin ? -1 : 1;
    }
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return mb_text_compare(x->name, y->name);
}

void issues_origins_hand_out(struct issues_origins *all, struct answer_cause *groups)
{
    MB_VEC_SORT(&all->rows, by_count);
    for (size_t i = 0; i < MB_VEC_COUNT(&all->rows); i++) {
        const struct answer_origin_count *row = &all->rows.items[i];
        struct answer_origins *origins = &groups[row->cause].origins[row->origin];
        origins->rows = origins->count++ == 0 ? row : origins->rows;
    }
}

void issues_origins_finish(struct issues_origins *all)
{
    mb_strmap_finish(&all->places);
    mb_buf_finish(&all->rows.buf);
}

void issues_put_origins(struct mb_buf *out, const struct answer_origins *origins, size_t room)
{
    for (size_t i = 0; i < origins->count && i < ISSUES_MOST_ORIGINS; i++) {
        mb_buf_put_string(out, i > 0 ? ", " : "");
        answer_put_fitting(out, origins->rows[i].name, room);
        mb_buf_printf(out, " x %zu", origins->rows[i].count);
    }
    if (origins->count > ISSUES_MOST_ORIGINS) {
        mb_buf_printf(out, " and %zu more", origins->count - ISSUES_MOST_ORIGINS);
    }
}
