/* How long requests took, by kind. */

#include "answer/requests.h"
#include "formats/text.h"

#include <inttypes.h>

#define MOST_KINDS 8
#define MOST_CAUSES 5
#define NAME_COLUMN 48
#define CAUSE_COLUMN 24
#define TOLD_PART 4 /* what a request was ready for is told from that part on */

/* A dash below what a coarse clock can tell. */
static void put_length(int64_t ns, struct mb_buf *out)
{
    if (ns == 0) {
        mb_buf_printf(out, "%8s ", "-");
    } else {
        format_put_time(out, ns);
    }
}

void format_put_cause(const struct answer_excess *excess, const struct answer_names *names,
                      const struct format_look *look, struct mb_buf *out)
{
    mb_buf_put_string(out, answer_state_words(excess->state, excess->id));
    if (excess->id != 0) {
        format_put_method(look, names, out, excess->id, CAUSE_COLUMN);
    }
    if (excess->below != 0) {
        mb_buf_put_string(out, " below ");
        format_put_method(look, names, out, excess->below, CAUSE_COLUMN);
    }
}

void format_put_ready(const struct answer_excess *excess, struct mb_buf *out)
{
    if (excess->ready_ns >= excess->more_ns / TOLD_PART && excess->ready_ns > 0) {
        mb_buf_put_string(out, ", ready without a processor for ");
        answer_put_time(out, excess->ready_ns / (int64_t)excess->count, 0);
        mb_buf_put_string(out, " of it");
    }
}

void format_put_owners(const struct answer_excess *excess, struct mb_buf *out)
{
    if (excess->owner_count < excess->known_count) {
        mb_buf_printf(out, " (%" PRIu64 " of %" PRIu64 ")", excess->owner_count,
                      excess->known_count);
    }
    if (excess->known_count > 0 && excess->known_count < excess->count) {
        mb_buf_printf(out, " (known of %" PRIu64 " of %" PRIu64 ")", excess->known_count,
                      excess->count);
    }
}

/* ", for a lock that x held in d.E.f"; if that is known of few, ", for a lock; the holder is known
 * of 11 of 114: 6 times x in d.E.f" */
static void put_holder(const struct answer_excess *excess, const struct answer_names *names,
                       const struct format_look *look, struct mb_buf *out)
{
    const struct answer_block *block = excess->block;
    bool is_known = block->owner.size > 0;
    bool is_few = is_known && !answer_tells_holder(excess);

    mb_buf_put_string(out, ", for a lock");
    if (is_few) {
        mb_buf_printf(out, "; the holder is known of %" PRIu64 " of %" PRIu64 ": %" PRIu64 " %s ",
                      excess->known_count, excess->count, excess->owner_count,
                      excess->owner_count == 1 ? "time" : "times");
    }
    mb_buf_put_string(out, is_known && !is_few ? " that " : "");
    mb_buf_put_printable(out, excess->are_owners ? answer_name_stem(block->owner) : block->owner);
    mb_buf_put_string(out, excess->are_owners ? "*" : "");
    mb_buf_put_string(out, is_known && !is_few ? " held" : "");
    if (block->owner_method > 0) {
        mb_buf_put_string(out, " in ");
        format_put_method(look, names, out, block->owner_method, NAME_COLUMN);
    }
    if (!is_few) {
        format_put_owners(excess, out);
    }
}

/* "    11  +72.4 ms  waited in a.B.c, for a lock that x held in d.E.f" */
static void put_excess(const struct answer_excess *excess, const struct answer_names *names,
                       const struct format_look *look, struct mb_buf *out)
{
    mb_buf_put_string(out, "  ");
    answer_put_count(out, excess->count, 6);
    mb_buf_put_string(out, "  +");
    answer_put_time(out, excess->more_ns / (int64_t)excess->count, 0);
    mb_buf_put_u1(out, ' ');
    format_put_cause(excess, names, look, out);
    format_put_ready(excess, out);
    if (excess->block != NULL) {
        put_holder(excess, names, look, out);
    }
    mb_buf_put_u1(out, '\n');
}

static void put_slow(const struct answer_request *row, const struct answer_names *names,
                     const struct format_look *look, struct mb_buf *out)
{
    uint64_t known = 0;
    uint64_t told = 0;

    if (!answer_has_slow(row)) {
        return;
    }
    mb_buf_put_string(out, "      the ");
    answer_put_count(out, row->slow_count, 0);
    mb_buf_put_string(out, " slowest ");
    if (row->known_calls < row->calls) {
        mb_buf_put_string(out, "of the last ");
        answer_put_count(out, row->known_calls, 0);
        mb_buf_put_u1(out, ' ');
    }
    mb_buf_put_string(out, "took ");
    answer_put_time(out, row->slower_ns, 0);
    mb_buf_put_string(out, " more than the others");
    for (size_t i = 0; i < row->excess_count; i++) {
        known += row->excesses[i].count;
    }
    if (known < row->slow_count) {
        mb_buf_put_string(out, "; of ");
        answer_put_count(out, known, 0);
        mb_buf_put_string(out, " that were kept");
    }
    mb_buf_put_string(out, ":\n");
    for (size_t i = 0; i < row->excess_count && i < MOST_CAUSES; i++) {
        put_excess(&row->excesses[i], names, look, out);
        told += row->excesses[i].count;
    }
    if (told < known) {
        mb_buf_put_string(out, "  ");
        answer_put_count(out, known - told, 6);
        mb_buf_put_string(out, "  others\n");
    }
}

void format_put_requests(const struct answer_requests *requests, const struct answer_names *names,
                         const struct format_look *look, struct mb_buf *out)
{
    size_t most = look->top < MOST_KINDS ? look->top : MOST_KINDS;

    if (requests->count + requests->short_count == 0) {
        return;
    }
    format_put_heading(look, out, "Requests");
    if (requests->count > 0) {
        mb_buf_printf(out, "  %6s %8s %8s %8s %8s\n", "count", "p50", "p90", "p99", "longest");
    }
    for (size_t i = 0; i < requests->count && i < most; i++) {
        const struct answer_request *row = &requests->rows[i];
        mb_buf_put_string(out, "  ");
        answer_put_count(out, row->calls, 6);
        mb_buf_put_u1(out, ' ');
        put_length(row->lengths.p50.ns, out);
        put_length(row->lengths.p90.ns, out);
        put_length(row->lengths.p99.ns, out);
        format_put_time(out, row->longest_ns);
        mb_buf_put_u1(out, ' ');
        format_put_method(look, names, out, row->id, NAME_COLUMN);
        mb_buf_put_u1(out, '\n');
        put_slow(row, names, look, out);
    }
    if (requests->count > most) {
        mb_buf_printf(out, "  (%zu more kinds: --format json)\n", requests->count - most);
    }
    if (requests->lost_count > 0) {
        mb_buf_printf(out, "  (%" PRIu64 " slow %s without a cause: --show=trust)\n",
                      requests->lost_count, requests->lost_count == 1 ? "one" : "ones");
    }
    if (requests->short_count > 0) {
        mb_buf_printf(out, "  (%zu %s of little time)\n", requests->short_count,
                      requests->short_count == 1 ? "kind" : "kinds");
    }
}
