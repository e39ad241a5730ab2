#include "issues/fleet/rows.h"

#include "abi/hash.h"
#include "abi/identity.h"
#include "answer/requests.h"
#include "base/clock.h"
#include "issues/fleet/names.h"
#include "issues/fleet/who.h"

#include <math.h>
#include <stdio.h>

#define BUCKETS 1024u                /* of requests: to 10 minutes */
#define BUCKET_LN 0.0198026272961797 /* ln(1.02) */

struct chain {
    int64_t path;
    int64_t parent;
    int64_t method;
    uint32_t id;
    uint32_t depth;
    uint64_t calls;
    int64_t own_ns;
    int64_t total_ns;
};

struct profile {
    const struct fleet_traced *traced;
    char id[17];
    MB_VEC(struct chain) chains; /* of all threads; by path once they are summed */
    struct mb_buf text;          /* scratch, as the next */
    struct mb_buf stable;
};

/* By when and where it was recorded. */
static void identify_profile(struct profile *profile)
{
    const struct answer_process *process = profile->traced->process;
    char text[128];
    int size = snprintf(text, sizeof(text), "%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx32 " ",
                        process->mapping_hash, (uint64_t)process->wall_start_ns,
                        (uint64_t)process->boottime_start_ns, process->id);
    uint64_t hash = abi_hash(ABI_HASH_START, text, (size_t)size);

    (void)snprintf(profile->id, sizeof(profile->id), "%016" PRIx64,
                   abi_hash(hash, process->name.data, process->name.size));
}

/* ---- Chains ---- */

static struct mb_text name_of(struct profile *profile, uint32_t id)
{
    profile->text.size = 0; /* a failure stays */
    answer_put_name(&profile->text, &profile->traced->methods->names, id);
    return (struct mb_text){(const char *)profile->text.bytes, profile->text.size};
}

/* Callers stand before what they call. */
static void add_tree(struct profile *profile, const struct trace_node *nodes, size_t count)
{
    const struct answer_clock *clock = profile->traced->clock;
    size_t first = MB_VEC_COUNT(&profile->chains);

    for (size_t i = 0; i < count && !profile->chains.buf.failed; i++) {
        const struct trace_node *node = &nodes[i];
        int64_t parent =
            node->parent != TRACE_NO_NODE ? profile->chains.items[first + node->parent].path : 0;
        int64_t method = fleet_hash_method(&profile->stable, name_of(profile, node->id));
        MB_VEC_PUSH(&profile->chains, (struct chain){.path = fleet_hash_path(parent, method),
                                                     .parent = parent,
                                                     .method = method,
                                                     .id = node->id,
                                                     .depth = node->depth,
                                                     .calls = node->calls,
                                                     .own_ns = answer_ns(clock, node->own),
                                                     .total_ns = answer_ns(clock, node->total)});
    }
}

static int compare_paths(const void *a, const void *b)
{
    const struct chain *x = a;
    const struct chain *y = b;

    return (x->path > y->path) - (x->path < y->path);
}

static int compare_methods(const void *a, const void *b)
{
    const struct chain *x = a;
    const struct chain *y = b;

    return (x->method > y->method) - (x->method < y->method);
}

static void sum_chains(struct profile *profile)
{
    struct chain *chains = profile->chains.items;
    size_t kept = 0;

    MB_VEC_SORT(&profile->chains, compare_paths);
    for (size_t i = 0; i < MB_VEC_COUNT(&profile->chains); i++) {
        if (kept > 0 && chains[kept - 1].path == chains[i].path) {
            chains[kept - 1].calls += chains[i].calls;
            chains[kept - 1].own_ns += chains[i].own_ns;
            chains[kept - 1].total_ns += chains[i].total_ns;
        } else {
            chains[kept++] = chains[i];
        }
    }
    MB_VEC_CUT(&profile->chains, kept);
}

/* ---- Rows ---- */

/* Checked pairs, which have nothing to refuse, as issues have them. */
static void take_app(struct mb_json *row, struct mb_text pairs)
{
    uint64_t refused[FLEET_REFUSAL_COUNT] = {0};
    const struct fleet_columns columns = {.row = row, .refused = refused};
    struct mb_buf text = {0};
    struct mb_json json = {.out = &text};
    struct mb_reader reader = {0};

    mb_json_open(&json, NULL, "{");
    abi_identity_put(&json, pairs);
    mb_json_end(&json);
    const struct mb_value *app =
        mb_reader_read(&reader, (struct mb_text){(const char *)text.bytes, text.size});
    row->out->failed = row->out->failed || text.failed || app == NULL;
    fleet_take_app(&columns, app);
    fleet_take_class(&columns, app, NULL);
    mb_reader_finish(&reader);
    mb_buf_finish(&text);
}

static void put_list(struct mb_json *row, const char *name, const uint64_t *calls, bool is_count)
{
    mb_json_open(row, name, "[");
    for (unsigned i = 0; i < BUCKETS; i++) {
        if (calls[i] > 0) {
            mb_json_count(row, NULL, is_count ? calls[i] : i);
        }
    }
    mb_json_close(row, "]");
}

/* How long those of a kind took. */
static void put_request(struct mb_json *row, struct profile *profile,
                        const struct answer_request *kind)
{
    const struct fleet_traced *traced = profile->traced;
    uint64_t calls[BUCKETS] = {0};
    struct answer_length length;
    size_t next = 0;

    while (answer_next_length(traced->methods, traced->clock, kind, &next, &length)) {
        double us = (double)length.ns / MB_NS_PER_US;
        double bucket = us > 1 ? log(us) / BUCKET_LN : 0;
        calls[bucket < BUCKETS ? (unsigned)bucket : BUCKETS - 1] += length.calls;
    }
    if (next > 1) {
        mb_json_open(row, NULL, "{");
        mb_json_string(row, "kind", "request");
        fleet_put_text(row, "name", name_of(profile, kind->id));
        put_list(row, "bucket_list", calls, false);
        put_list(row, "n_list", calls, true);
        mb_json_close(row, "}");
    }
}

static void put_head(struct fleet_writer *writer, struct profile *profile)
{
    const struct fleet_traced *traced = profile->traced;
    const struct answer_process *process = traced->process;
    const struct answer_sums sums = answer_sum(traced->threads);
    struct mb_json *row = fleet_begin_row(writer, FLEET_TABLE_profiles);

    mb_json_string(row, "profile", profile->id);
    if (process->mapping_hash != 0 && abi_identity_find(process->app, "build").size == 0) {
        mb_json_word(row, "build", process->mapping_hash);
    }
    take_app(row, process->app);
    fleet_put_text(row, "process", process->name);
    mb_json_number(row, "ts", process->wall_start_ns / MB_NS_PER_MS);
    fleet_put_real(row, "run_ms", (double)(sums.end_ns - sums.start_ns) / MB_NS_PER_MS);
    mb_json_count(row, "threads", traced->threads->count);
    mb_json_count(row, "lost", sums.losses.read.lost_entries + traced->absorbed_calls);
    mb_json_count(row, "muted", traced->methods->mute_count);
    mb_json_open(row, "sum_list", "[");
    for (size_t i = 0; i < traced->requests->count; i++) {
        put_request(row, profile, &traced->requests->rows[i]);
    }
    mb_json_close(row, "]");
    fleet_end_row(writer);
}

static void put_chains(struct fleet_writer *writer, const struct profile *profile)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&profile->chains); i++) {
        const struct chain *chain = &profile->chains.items[i];
        struct mb_json *row = fleet_begin_row(writer, FLEET_TABLE_nodes);
        mb_json_string(row, "profile", profile->id);
        mb_json_number(row, "path", chain->path);
        mb_json_number(row, "method", chain->method);
        mb_json_count(row, "calls", chain->calls);
        mb_json_number(row, "own_ns", chain->own_ns);
        mb_json_number(row, "total_ns", chain->total_ns);
        fleet_end_row(writer);
    }
    for (size_t i = 0; i < MB_VEC_COUNT(&profile->chains); i++) {
        const struct chain *chain = &profile->chains.items[i];
        struct mb_json *row = fleet_begin_row(writer, FLEET_TABLE_paths);
        mb_json_number(row, "path", chain->path);
        mb_json_number(row, "parent", chain->parent);
        mb_json_number(row, "method", chain->method);
        mb_json_count(row, "depth", chain->depth);
        fleet_end_row(writer);
    }
}

/* Each once. */
static void put_methods(struct fleet_writer *writer, struct profile *profile)
{
    const struct chain *chains = profile->chains.items;

    MB_VEC_SORT(&profile->chains, compare_methods);
    for (size_t i = 0; i < MB_VEC_COUNT(&profile->chains); i++) {
        if (i == 0 || chains[i].method != chains[i - 1].method) {
            struct mb_json *row = fleet_begin_row(writer, FLEET_TABLE_methods);
            mb_json_number(row, "method", chains[i].method);
            fleet_put_text(row, "name", name_of(profile, chains[i].id));
            fleet_end_row(writer);
        }
    }
}

enum mb_status fleet_put_profile(struct fleet_writer *writer, const struct fleet_traced *traced,
                                 struct mb_error *err)
{
    struct profile profile = {.traced = traced};

    identify_profile(&profile);
    for (size_t i = 0; i < traced->threads->count; i++) {
        add_tree(&profile, traced->threads->rows[i].nodes, traced->threads->rows[i].node_count);
    }
    mb_buf_fail_with(&profile.chains.buf, &profile.stable);
    mb_buf_fail_with(&profile.chains.buf, &profile.text);
    enum mb_status status = mb_buf_check(&profile.chains.buf, err);
    if (status == MB_OK) {
        sum_chains(&profile);
        put_head(writer, &profile);
        put_chains(writer, &profile);
        put_methods(writer, &profile);
    }
    mb_buf_fail_with(&writer->rows, &profile.text);
    mb_buf_finish(&profile.chains.buf);
    mb_buf_finish(&profile.text);
    mb_buf_finish(&profile.stable);
    return status;
}
