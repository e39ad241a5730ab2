/* What Go's pprof reads: a sample for each stack of each thread, with its calls and its own time.
 * The file is many small messages in a row, which are one to who reads them, packed by gzip. */

#include "abi/identity.h"
#include "abi/profile.h"
#include "answer/facts.h"
#include "answer/marks.h"
#include "answer/requests.h"
#include "base/number.h"
#include "base/text.h"
#include "base/vec.h"
#include "formats/ids.h"
#include "formats/pprof.pb-c.h"
#include "formats/writer.h"

#include <libdeflate.h>

#define LEVEL 6
/* Each sample repeats all callers: what is deeper counts for its caller. */
#define MAX_DEPTH 1000

/* ---- Labels of samples, as "thread=main app.version=5.2 mark=muted" ---- */

#define MOST_LABELS 16
struct labels {
    FormatPprof__Label rows[MOST_LABELS];
    FormatPprof__Label *pointers[MOST_LABELS];
    size_t count;
};

/* Places in the table of strings. What has no room is left out. */
static void add_label(struct labels *labels, int64_t key, int64_t value)
{
    if (labels->count < MOST_LABELS) {
        FormatPprof__Label *row = &labels->rows[labels->count++];
        format_pprof__label__init(row);
        row->has_key = row->has_str = true;
        row->key = key;
        row->str = value;
    }
}

/* Add them all to the sample, which borrows them. */
static void put_labels(struct labels *labels, FormatPprof__Sample *sample)
{
    for (size_t i = 0; i < labels->count; i++) {
        labels->pointers[i] = &labels->rows[i];
    }
    sample->n_label = labels->count;
    sample->label = labels->pointers;
}

/* ---- The largest call chains ---- */

#define NO_STACK INT64_MIN
struct slow {
    int64_t own; /* in units */
    uint64_t calls;
};

/* Limits a profile to its largest call chains, for servers that cap profile size. The time of the
 * others goes to their callers. Zeroed memory can be finished. */
struct stacks {
    MB_VEC(int64_t) own;      /* in units: of each node, thread by thread, or NO_STACK */
    MB_VEC(struct slow) slow; /* what of it is of slow requests, thread by thread */
    int64_t other;            /* of calls none of whose callers is kept */
    size_t left_out;          /* that would have a stack if there were no limit */
};

/* ---- Slow requests ---- */

/* What slow requests did is known of all threads together: it is taken for that of the first
 * threads that did as much. */
struct left {
    struct answer_slow_index index;
    MB_VEC(struct slow) nodes;
};

static bool begin_left(struct left *left, const struct answer_requests *requests)
{
    for (size_t i = 0; i < requests->slow_node_count; i++) {
        const struct abi_profile_node *node = &requests->slow_nodes[i];
        MB_VEC_PUSH(&left->nodes, (struct slow){answer_slow_own(node), node->calls});
    }
    return answer_slow_index_make(&left->index, requests) && !left->nodes.buf.failed;
}

static void finish_left(struct left *left)
{
    answer_slow_index_finish(&left->index);
    mb_buf_finish(&left->nodes.buf);
}

static struct slow take_left(struct left *left, uint32_t number, const struct trace_node *node)
{
    struct slow *row = number > 0 ? &left->nodes.items[number - 1] : NULL;
    struct slow part = {0};

    if (row != NULL) {
        part.own = mb_min_i64(row->own, node->own > 0 ? node->own : 0);
        part.calls = mb_min_u64(row->calls, node->calls);
        row->own -= part.own;
        row->calls -= part.calls;
    }
    return part;
}

static bool add_slow(struct stacks *stacks, struct left *left, const struct answer_thread *thread)
{
    uint32_t *numbers = calloc(thread->node_count + 1, sizeof(*numbers));

    if (numbers == NULL) {
        return false;
    }
    answer_slow_index_find(&left->index, thread->nodes, thread->node_count, numbers);
    for (size_t i = 0; i < thread->node_count; i++) {
        MB_VEC_PUSH(&stacks->slow, take_left(left, numbers[i], &thread->nodes[i]));
    }
    free(numbers);
    return !stacks->slow.buf.failed;
}

/* ---- Limits ---- */

/* The totals of which the greatest are kept: those above the least, and some that equal it. */
struct bound {
    int64_t least;
    size_t equal; /* of these, in order */
};

static int compare_totals(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

MB_VEC_TYPE(totals, int64_t);

static void take_totals(union totals *totals, const struct answer_thread *thread, uint32_t depth)
{
    for (size_t i = 0; i < thread->node_count; i++) {
        if (thread->nodes[i].depth < depth) {
            MB_VEC_PUSH(totals, thread->nodes[i].total);
        }
    }
}

static bool find_bound(const struct answer_threads *threads, size_t most, uint32_t depth,
                       struct bound *bound)
{
    union totals totals = {{0}};

    for (size_t i = 0; i < threads->count; i++) {
        take_totals(&totals, &threads->rows[i], depth);
    }
    *bound = (struct bound){INT64_MIN, SIZE_MAX};
    if (most > 0 && MB_VEC_COUNT(&totals) > most && !totals.buf.failed) {
        MB_VEC_SORT(&totals, compare_totals);
        bound->least = most > 1 ? totals.items[most - 2] : INT64_MAX;
        bound->equal = 0;
        for (size_t i = most - 1; i-- > 0 && totals.items[i] == bound->least;) {
            bound->equal++;
        }
    }
    bool is_good = !totals.buf.failed;
    mb_buf_finish(&totals.buf);
    return is_good;
}

static bool is_kept(struct bound *bound, const struct trace_node *node)
{
    return node->total > bound->least ||
           (node->total == bound->least && bound->equal > 0 && bound->equal-- > 0);
}

/* Callers stand before what they call, so the last of them come first. */
static void fold_calls(struct stacks *stacks, const struct answer_thread *thread, size_t first,
                       const bool *kept)
{
    int64_t *own = stacks->own.items + first;
    struct slow *slow = stacks->slow.items + first;

    for (size_t i = thread->node_count; i-- > 0;) {
        if (own[i] == NO_STACK || kept[i]) {
            continue;
        }
        if (thread->nodes[i].parent != TRACE_NO_NODE) {
            own[thread->nodes[i].parent] += own[i];
            slow[thread->nodes[i].parent].own += slow[i].own;
        } else {
            stacks->other += own[i];
        }
        own[i] = NO_STACK;
        stacks->left_out++;
    }
}

/* most: stacks, the one of others included; 0: all. Nodes from that depth on have none, and are in
 * the total of those above. False without memory. */
static bool make_stacks(struct stacks *stacks, const struct answer_threads *threads,
                        const struct answer_requests *requests, size_t most, uint32_t depth)
{
    MB_VEC(bool) kept = {0};
    struct left left = {0};
    struct bound bound;
    bool is_good = find_bound(threads, most, depth, &bound) && begin_left(&left, requests);

    for (size_t i = 0; i < threads->count && is_good; i++) {
        const struct answer_thread *thread = &threads->rows[i];
        size_t first = MB_VEC_COUNT(&stacks->own);
        mb_buf_reset(&kept.buf);
        for (size_t j = 0; j < thread->node_count; j++) {
            const struct trace_node *node = &thread->nodes[j];
            bool is_last = node->depth + 1 == depth;
            MB_VEC_PUSH(&kept, node->depth < depth && is_kept(&bound, node));
            MB_VEC_PUSH(&stacks->own, node->depth >= depth ? NO_STACK
                                      : is_last            ? node->total
                                                           : node->own);
        }
        is_good = add_slow(stacks, &left, thread) && !kept.buf.failed && !stacks->own.buf.failed;
        if (is_good && thread->node_count > 0) {
            fold_calls(stacks, thread, first, kept.items);
        }
    }
    mb_buf_finish(&kept.buf);
    finish_left(&left);
    return is_good;
}

/* ---- The file ---- */

/* The first strings of the table; those of threads and methods follow as they turn up. */
enum string {
    NO_STRING,
    CALLS,
    COUNT,
    WALL,
    NANOSECONDS,
    THREAD,
    MARK,
    SLOW,
    YES,
    FIRST_WORD, /* of the marks, one after the other */
    SOURCE = FIRST_WORD + ANSWER_MARK_COUNT,
    STRING_COUNT,
};

struct pprof {
    struct format_ids functions;
    struct mb_buf
        marks; /* uint8_t of the functions by number, from 1 on: sets that all calls have */
    unsigned used_marks; /* set */
    struct labels app;
    struct stacks stacks;
    int64_t string_count;
    struct mb_buf text;
    struct mb_buf raw; /* what is to be packed */
};

static void put_piece(struct format_writer *writer, const FormatPprof__Profile *piece)
{
    struct pprof *state = writer->state;
    size_t size = format_pprof__profile__get_packed_size(piece);
    uint8_t *place = size > 0 ? mb_buf_extend(&state->raw, size) : NULL;

    if (place != NULL) {
        (void)format_pprof__profile__pack(piece, place);
    }
}

/* Its place in the table. */
static int64_t put_string(struct format_writer *writer, const void *data, size_t size)
{
    struct pprof *state = writer->state;
    ProtobufCBinaryData row = {size, (uint8_t *)(uintptr_t)data};
    FormatPprof__Profile piece = FORMAT_PPROF__PROFILE__INIT;

    piece.n_string_table = 1;
    piece.string_table = &row;
    put_piece(writer, &piece);
    return state->string_count++;
}

/* What of the checked pairs (abi/identity.h) many devices have in common, hence nothing of one
 * device. */
static void add_app(struct format_writer *writer, struct labels *labels)
{
    static const struct {
        const char *key;
        const char *label;
    } rows[] = {
        {"id", "app.id"},          {"version", "app.version"}, {"channel", "app.channel"},
        {"build", "app.build"},    {"maker", "device.maker"},  {"model", "device.model"},
        {"abi", "device.abi"},     {"os", "os.name"},          {"os_level", "os.level"},
        {"class", "device.class"},
    };

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        struct mb_text value = abi_identity_find(writer->process->app, rows[i].key);
        if (value.size > 0) {
            int64_t key = put_string(writer, rows[i].label, strlen(rows[i].label));
            add_label(labels, key, put_string(writer, value.data, value.size));
        }
    }
}

static FormatPprof__ValueType make_type(enum string type, enum string unit)
{
    FormatPprof__ValueType row = FORMAT_PPROF__VALUE_TYPE__INIT;

    row.has_type = true;
    row.type = type;
    row.has_unit = true;
    row.unit = unit;
    return row;
}

static void put_head(struct format_writer *writer)
{
    const struct answer_sums sums = answer_sum(&writer->facts->threads);
    struct pprof *state = writer->state;
    const char *const strings[STRING_COUNT] = {
        [NO_STRING] = "",
        [CALLS] = "calls",
        [COUNT] = "count",
        [WALL] = "wall",
        [NANOSECONDS] = "nanoseconds",
        [THREAD] = "thread",
        [MARK] = "mark",
        [SLOW] = "slow",
        [YES] = "yes",
        [FIRST_WORD + (int) ANSWER_MARK_MUTED] = answer_mark_infos[ANSWER_MARK_MUTED].word,
        [FIRST_WORD + (int) ANSWER_MARK_HOLDS] = answer_mark_infos[ANSWER_MARK_HOLDS].word,
        [FIRST_WORD + (int) ANSWER_MARK_INFERRED] = answer_mark_infos[ANSWER_MARK_INFERRED].word,
        [FIRST_WORD + (int) ANSWER_MARK_SAMPLED] = answer_mark_infos[ANSWER_MARK_SAMPLED].word,
        [SOURCE] = answer_tree_source(&writer->facts->recording),
    };
    FormatPprof__ValueType types[] = {make_type(CALLS, COUNT), make_type(WALL, NANOSECONDS)};
    FormatPprof__ValueType *rows[] = {&types[0], &types[1]};
    int64_t comment = SOURCE;
    FormatPprof__Profile piece = FORMAT_PPROF__PROFILE__INIT;

    for (size_t i = 0; i < STRING_COUNT; i++) {
        (void)put_string(writer, strings[i], strlen(strings[i]));
    }
    piece.n_sample_type = MB_COUNT(rows);
    piece.sample_type = rows;
    piece.has_time_nanos = true;
    piece.time_nanos = writer->process->wall_start_ns;
    piece.has_duration_nanos = true;
    piece.duration_nanos = (int64_t)(sums.end_ns - sums.start_ns);
    piece.n_comment = 1;
    piece.comment = &comment;
    piece.has_default_sample_type = true;
    piece.default_sample_type = WALL;
    piece.period_type = &types[1];
    piece.has_period = true;
    piece.period = 1; /* each call is timed */
    put_piece(writer, &piece);
    add_app(writer, &state->app);
}

/* A function that is named by the text, and the one place in it that calls come from. */
static void put_function(struct format_writer *writer, uint64_t number)
{
    struct pprof *state = writer->state;
    FormatPprof__Function function = FORMAT_PPROF__FUNCTION__INIT;
    FormatPprof__Line line = FORMAT_PPROF__LINE__INIT;
    FormatPprof__Location location = FORMAT_PPROF__LOCATION__INIT;
    FormatPprof__Function *functions = &function;
    FormatPprof__Line *lines = &line;
    FormatPprof__Location *locations = &location;
    FormatPprof__Profile piece = FORMAT_PPROF__PROFILE__INIT;

    mb_buf_fail_with(&writer->out, &state->text);
    function.has_id = line.has_function_id = location.has_id = true;
    function.id = line.function_id = location.id = number;
    function.has_name = true;
    function.name = put_string(writer, state->text.bytes, state->text.size);
    location.n_line = 1;
    location.line = &lines;
    piece.n_function = piece.n_location = 1;
    piece.function = &functions;
    piece.location = &locations;
    put_piece(writer, &piece);
}

static uint64_t function_of(struct format_writer *writer, uint32_t id)
{
    struct pprof *state = writer->state;
    bool is_new;
    uint64_t number = format_ids_number(&state->functions, id, &writer->out, &is_new);

    if (is_new) {
        mb_buf_put_u1(&state->marks, answer_marks_of(&writer->facts->methods, id, 0, 0).set);
        mb_buf_fail_with(&writer->out, &state->marks);
        mb_buf_reset(&state->text);
        answer_put_name(&state->text, writer->names, id);
        put_function(writer, number);
    }
    return number;
}

/* Those of the node's own call: its callers have samples of their own. */
static void add_marks(struct format_writer *writer, struct labels *labels,
                      const struct trace_node *node, uint64_t function)
{
    struct pprof *state = writer->state;
    bool is_inferred = answer_inferred_percent(node->inferred, node->total) > 0;
    struct answer_marks marks = {.set = (is_inferred ? 1u << ANSWER_MARK_INFERRED : 0) |
                                        (node->is_sampled ? 1u << ANSWER_MARK_SAMPLED : 0)};

    marks.set |=
        function > 0 && function <= state->marks.size ? state->marks.bytes[function - 1] : 0;
    state->used_marks |= marks.set;
    for (enum answer_mark i = 0; i < ANSWER_MARK_COUNT; i++) {
        if (answer_has_mark(&marks, i)) {
            add_label(labels, MARK, FIRST_WORD + (int64_t)i);
        }
    }
}

/* Of a node: what is of slow requests, or the rest. */
struct counted {
    int64_t own;
    uint64_t calls;
    int64_t thread_name;
    bool is_slow;
};

static void put_sample(struct format_writer *writer, const struct answer_thread *thread,
                       const struct trace_node *node, const struct counted *counted)
{
    const struct pprof *state = writer->state;
    int64_t values[] = {(int64_t)counted->calls, answer_ns(writer->clock, counted->own)};
    uint64_t path[MAX_DEPTH];
    struct labels labels = state->app;
    FormatPprof__Sample sample = FORMAT_PPROF__SAMPLE__INIT;
    FormatPprof__Sample *samples = &sample;
    FormatPprof__Profile piece = FORMAT_PPROF__PROFILE__INIT;

    path[sample.n_location_id++] = function_of(writer, node->id);
    for (uint32_t at = node->parent; at != TRACE_NO_NODE; at = thread->nodes[at].parent) {
        path[sample.n_location_id++] = function_of(writer, thread->nodes[at].id);
    }
    sample.location_id = path;
    sample.n_value = MB_COUNT(values);
    sample.value = values;
    add_label(&labels, THREAD, counted->thread_name);
    if (counted->is_slow) {
        add_label(&labels, SLOW, YES);
    }
    add_marks(writer, &labels, node, path[0]);
    put_labels(&labels, &sample);
    piece.n_sample = 1;
    piece.sample = &samples;
    put_piece(writer, &piece);
}

/* The time of calls that have no stack, nor has any of their callers. */
static void put_other(struct format_writer *writer)
{
    struct pprof *state = writer->state;
    int64_t values[] = {0, answer_ns(writer->clock, state->stacks.other)};
    uint64_t path[] = {UINT32_MAX};
    FormatPprof__Sample sample = FORMAT_PPROF__SAMPLE__INIT;
    FormatPprof__Sample *samples = &sample;
    FormatPprof__Profile piece = FORMAT_PPROF__PROFILE__INIT;

    mb_buf_reset(&state->text);
    mb_buf_put_string(&state->text, "(other)");
    put_function(writer, path[0]);
    sample.n_location_id = 1;
    sample.location_id = path;
    sample.n_value = MB_COUNT(values);
    sample.value = values;
    put_labels(&state->app, &sample);
    piece.n_sample = 1;
    piece.sample = &samples;
    put_piece(writer, &piece);
}

/* first: of its nodes among the stacks. */
static void put_thread(struct format_writer *writer, const struct answer_thread *thread,
                       size_t first)
{
    struct pprof *state = writer->state;

    mb_buf_reset(&state->text);
    mb_buf_put_printable(&state->text, thread->name);
    mb_buf_fail_with(&writer->out, &state->text);
    int64_t name = put_string(writer, state->text.bytes, state->text.size);
    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        int64_t own = state->stacks.own.items[first + i];
        const struct slow slow = state->stacks.slow.items[first + i];
        if (own == NO_STACK) {
            continue;
        }
        struct counted counted = {own - slow.own, node->calls - slow.calls, name, false};
        if (counted.own != 0 || counted.calls > 0 || slow.calls == 0) {
            put_sample(writer, thread, node, &counted);
        }
        if (slow.own > 0 || slow.calls > 0) {
            counted = (struct counted){slow.own, slow.calls, name, true};
            put_sample(writer, thread, node, &counted);
        }
    }
}

/* "mark=muted: muted while the program ran: ...", of the labels that samples have. */
static void put_meanings(struct format_writer *writer)
{
    struct pprof *state = writer->state;
    const struct answer_marks used = {.set = state->used_marks};
    int64_t comments[ANSWER_MARK_COUNT + 1];
    FormatPprof__Profile piece = FORMAT_PPROF__PROFILE__INIT;

    for (enum answer_mark i = 0; i < ANSWER_MARK_COUNT; i++) {
        if (answer_has_mark(&used, i)) {
            mb_buf_reset(&state->text);
            mb_buf_printf(&state->text, "mark=%s: %s", answer_mark_infos[i].word,
                          answer_words(answer_mark_infos[i].meaning));
            comments[piece.n_comment++] = put_string(writer, state->text.bytes, state->text.size);
        }
    }
    if (state->stacks.left_out > 0) {
        mb_buf_reset(&state->text);
        mb_buf_printf(&state->text, "%zu chains of callers beyond --top are in their callers",
                      state->stacks.left_out);
        comments[piece.n_comment++] = put_string(writer, state->text.bytes, state->text.size);
    }
    mb_buf_fail_with(&writer->out, &state->text);
    piece.comment = comments;
    put_piece(writer, &piece);
}

static void put_packed(struct mb_buf *out, const struct mb_buf *raw)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
    size_t bound = compressor != NULL ? libdeflate_gzip_compress_bound(compressor, raw->size) : 0;

    out->failed = out->failed || raw->failed || compressor == NULL;
    if (!out->failed && mb_buf_reserve(out, bound)) {
        out->size += libdeflate_gzip_compress(compressor, raw->bytes, raw->size,
                                              out->bytes + out->size, bound);
    }
    if (compressor != NULL) {
        libdeflate_free_compressor(compressor);
    }
}

static void put_profile(struct format_writer *writer)
{
    struct pprof *state = writer->state;
    const struct answer_threads *threads = &writer->facts->threads;

    put_head(writer);
    if (!make_stacks(&state->stacks, threads, &writer->facts->requests, writer->look.top,
                     MAX_DEPTH)) {
        writer->out.failed = true;
        return;
    }
    for (size_t i = 0, first = 0; i < threads->count; i++) {
        put_thread(writer, &threads->rows[i], first);
        first += threads->rows[i].node_count;
    }
    if (state->stacks.other > 0) {
        put_other(writer);
    }
    put_meanings(writer);
    put_packed(&writer->out, &state->raw);
}

static void finish_state(struct format_writer *writer)
{
    struct pprof *state = writer->state;

    mb_buf_finish(&state->stacks.own.buf);
    mb_buf_finish(&state->stacks.slow.buf);
    format_ids_finish(&state->functions);
    mb_buf_finish(&state->marks);
    mb_buf_finish(&state->text);
    mb_buf_finish(&state->raw);
}

const struct format format_pprof = {
    .name = "pprof",
    .extension = ".pb.gz",
    .is_binary = true,
    .takes_stacks = true,
    .state_size = sizeof(struct pprof),
    .end = put_profile,
    .finish = finish_state,
};
