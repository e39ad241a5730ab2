#include "abi/profile.h"
#include "answer/model.h"
#include "answer/requests.h"
#include "base/number.h"
#include "jvms/live/recent.h"

#include <stdlib.h>

static int by_bucket(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The middle of its bucket. */
static int64_t ns_of(uint64_t length, uint64_t ns_per_unit)
{
    uint32_t bucket = abi_length_bucket_of(length);
    uint64_t units = (abi_length_first(bucket) + abi_length_first(bucket + 1)) / 2;

    return (int64_t)(abi_trace_ns(ns_per_unit, units) & INT64_MAX);
}

/* lengths: of one kind, the shortest first. */
static struct live_kind make_kind(const uint64_t *lengths, size_t count, uint64_t ns_per_unit)
{
    struct live_kind kind = {.id = abi_length_id(lengths[0])};
    uint64_t passed = 0;

    for (size_t i = 0; i < count; i++) {
        kind.ended += abi_length_calls(lengths[i]);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t calls = abi_length_calls(lengths[i]);
        int64_t ns = ns_of(lengths[i], ns_per_unit);
        bool is_half = passed <= kind.ended / 2 && kind.ended / 2 < passed + calls;
        uint64_t last = kind.ended * 99 / 100;
        bool is_last = passed <= last && last < passed + calls;
        kind.p50_ns = is_half ? ns : kind.p50_ns;
        kind.p99_ns = is_last ? ns : kind.p99_ns;
        kind.total_ns = trace_add(kind.total_ns, ns * (int64_t)calls);
        passed += calls;
    }
    return kind;
}

static int most_time_first(const void *a, const void *b)
{
    const struct live_kind *x = a;
    const struct live_kind *y = b;
    int order = (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);

    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

void live_find_kinds(struct live_recent *recent, const struct live_snapshot *from,
                     const struct live_snapshot *to)
{
    MB_VEC(uint64_t) grown = {0};

    mb_buf_reset(&recent->kinds.buf);
    for (size_t i = 0; i < MB_VEC_COUNT(&to->lengths); i++) { /* rows stay in their places */
        uint64_t old =
            i < MB_VEC_COUNT(&from->lengths) ? abi_length_calls(from->lengths.items[i]) : 0;
        uint64_t new = to->lengths.items[i];
        if (abi_length_calls(new) > old) {
            MB_VEC_PUSH(&grown, new - old);
        }
    }
    size_t count = MB_VEC_COUNT(&grown);
    MB_VEC_SORT(&grown, by_bucket);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count &&
               abi_length_id(grown.items[end]) == abi_length_id(grown.items[first])) {
            end++;
        }
        MB_VEC_PUSH(&recent->kinds,
                    make_kind(&grown.items[first], end - first, to->sections.source.ns_per_unit));
    }
    MB_VEC_SORT(&recent->kinds, most_time_first);
    mb_buf_fail_with(&recent->kinds.buf, &grown.buf);
    mb_buf_finish(&grown.buf);
}

/* Of those, what a report tells of. */
static void keep_told(struct live_recent *recent, const struct answer_requests *told)
{
    struct live_kind *rows = recent->kinds.items;
    size_t kept = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(&recent->kinds); i++) {
        size_t k = 0;
        while (k < told->count && told->rows[k].id != rows[i].id) {
            k++;
        }
        if (k < told->count) {
            const struct answer_request *from = &told->rows[k];
            rows[kept] = rows[i];
            rows[kept].slow = from->asked_count;
            rows[kept].cause = answer_has_slow(from) ? from->excesses[0] : rows[i].cause;
            kept++;
        }
    }
    MB_VEC_CUT(&recent->kinds, kept);
}

enum mb_status live_explain_kinds(struct live_recent *recent, const struct live_snapshot *from,
                                  const struct live_snapshot *to, struct answer_names names,
                                  struct mb_error *err)
{
    struct answer_model model = {0};
    struct answer_sections sections = to->sections;

    sections.lengths = to->lengths.items;
    sections.length_count = MB_VEC_COUNT(&to->lengths);
    enum mb_status status = answer_model_explain(&model, &sections, names, from->time, err);
    if (status == MB_OK) {
        keep_told(recent, &model.facts.requests);
    }
    answer_model_finish(&model);
    return status;
}
