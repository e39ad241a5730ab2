#include "issues/collection.h"

#include "abi/issue.h"
#include "base/strmap.h"

#include <inttypes.h>

bool issues_collection_init(struct issues_collection *all)
{
    *all = (struct issues_collection){.texts = mb_intern_create()};
    return all->texts != NULL;
}

void issues_collection_finish(struct issues_collection *all)
{
    mb_buf_finish(&all->issues.buf);
    mb_buf_finish(&all->damage.buf);
    mb_intern_destroy(all->texts);
}

void issues_add_damage(struct issues_collection *all, const char *path, size_t line,
                       const char *reason)
{
    struct mb_error err;

    if (all->damage_count++ < ISSUES_MOST_DAMAGE) {
        (void)mb_fail(&err, MB_BAD_TEXT, MB_NO_OFFSET, "%s", reason);
        if (line > 0) {
            mb_error_at_line(&err, path, line);
        } else {
            mb_error_in_input(&err, path);
        }
        MB_VEC_PUSH(&all->damage, err);
    }
}

/* ---- One incident, one issue ---- */

/* The greater the worse. */
static int rank_of(const struct answer_issue *issue)
{
    static const char *const details[] = {ABI_DETAIL_NORMAL, ABI_DETAIL_LAG, ABI_DETAIL_ANR,
                                          ABI_DETAIL_HANG};
    int found = 0;

    for (size_t i = 0; i < MB_COUNT(details); i++) {
        found = mb_text_is(issue->detail, details[i]) ? (int)i + 1 : found;
    }
    return found;
}

static bool is_worse(const struct answer_issue *a, const struct answer_issue *b)
{
    int difference = rank_of(a) - rank_of(b);

    return difference != 0 ? difference > 0 : a->cost_ns > b->cost_ns;
}

/* What is the same of all that tell of an incident. */
static struct mb_text identify_incident(struct mb_buf *scratch, const struct answer_issue *issue)
{
    mb_buf_reset(scratch);
    mb_buf_put(scratch, issue->process.data, issue->process.size);
    mb_buf_put_u1(scratch, '\n');
    mb_buf_put(scratch, issue->incident.data, issue->incident.size);
    mb_buf_printf(scratch, "\n%" PRId64, issue->when.begin_ns);
    return (struct mb_text){(const char *)scratch->bytes, scratch->size};
}

/* Moves the issue to the front: after those already kept, or to the place of its incident. */
static enum mb_status unite_one(struct issues_collection *all, struct mb_strmap *incidents,
                                struct mb_buf *scratch, const struct answer_issue *issue,
                                size_t *kept)
{
    struct answer_issue *rows = all->issues.items;
    struct answer_issue copy = *issue;

    if (issue->incident.size == 0) {
        rows[(*kept)++] = copy;
        return MB_OK;
    }
    struct mb_text id = identify_incident(scratch, issue);
    void **slot = scratch->failed ? NULL : mb_strmap_slot(incidents, id.data, id.size);
    if (slot == NULL) {
        return MB_NO_MEMORY;
    }
    struct answer_issue *first = *slot;
    if (first == NULL) {
        *slot = &rows[*kept];
        rows[(*kept)++] = copy;
        return MB_OK;
    }
    all->double_count++;
    if (is_worse(&copy, first)) {
        *first = copy;
    }
    return MB_OK;
}

enum mb_status issues_unite(struct issues_collection *all, struct mb_error *err)
{
    struct mb_strmap incidents = {0};
    struct mb_buf scratch = {0};
    enum mb_status status = MB_OK;
    size_t count;
    size_t kept = 0;
    const struct answer_issue *issues = issues_all(all, &count);

    for (size_t i = 0; status == MB_OK && i < count; i++) {
        status = unite_one(all, &incidents, &scratch, &issues[i], &kept);
    }
    MB_VEC_CUT(&all->issues, kept);
    mb_strmap_finish(&incidents);
    mb_buf_finish(&scratch);
    return status == MB_OK ? MB_OK : mb_fail_memory(err);
}
