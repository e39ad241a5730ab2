#include "issues/origins.h"

#include "answer/words.h"

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
