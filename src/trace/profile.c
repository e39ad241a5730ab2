#include "trace/profile.h"

#include "abi/record.h"
#include "trace/decoder.h"

#define FIRST_SLOTS 1024u

/* Where a child is found. */
struct trace_slot {
    uint32_t node; /* from 1; 0: free */
    uint32_t tag;  /* other bits of the hash than its place */
};

/* A tree that grows, with typed views of its buffers. */
struct growing {
    struct trace_profile *profile;
    uint32_t *path;
    uint32_t *active;
    uint32_t depth; /* of the path */
};

static struct trace_node *node_at(const struct trace_profile *profile, uint32_t index)
{
    return &profile->nodes.items[index];
}

static uint64_t hash_child(uint32_t parent, uint32_t id)
{
    uint64_t key = ((uint64_t)parent << ABI_ID_BITS) + id;

    return key * UINT64_C(0x9e3779b97f4a7c15);
}

/* The slot of a child, or the free slot where it belongs. Comparing tags avoids reading most
 * other nodes. */
static struct trace_slot *find_slot(const struct trace_profile *profile, uint32_t parent,
                                    uint32_t id)
{
    struct trace_slot *slots = profile->slots.items;
    size_t mask = MB_VEC_COUNT(&profile->slots) - 1;
    uint64_t hash = hash_child(parent, id);
    size_t at = (size_t)(hash >> 32) & mask;

    while (slots[at].node != 0) {
        if (slots[at].tag == (uint32_t)hash) {
            const struct trace_node *node = node_at(profile, slots[at].node - 1);
            if (node->parent == parent && node->id == id) {
                break;
            }
        }
        at = (at + 1) & mask;
    }
    slots[at].tag = (uint32_t)hash;
    return &slots[at];
}

/* Four times as many slots, a power of two. */
static bool grow_slots(struct trace_profile *profile)
{
    size_t count = MB_VEC_COUNT(&profile->slots) * 4;

    count = count == 0 ? FIRST_SLOTS : count;
    void *slots = mb_buf_take(&profile->slots.buf, count, sizeof(struct trace_slot));
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, count * sizeof(struct trace_slot));
    for (uint32_t i = 0; i < MB_VEC_COUNT(&profile->nodes); i++) {
        const struct trace_node *node = node_at(profile, i);
        find_slot(profile, node->parent, node->id)->node = i + 1;
    }
    return true;
}

/* The index of the node, made if need be; TRACE_NO_NODE without memory. */
static uint32_t take_child(struct trace_profile *profile, const struct trace_node *wanted)
{
    bool is_full = MB_VEC_COUNT(&profile->nodes) * 2 >= MB_VEC_COUNT(&profile->slots);

    if (MB_UNLIKELY(is_full && !grow_slots(profile))) {
        return TRACE_NO_NODE;
    }
    struct trace_slot *slot = find_slot(profile, wanted->parent, wanted->id);
    if (MB_LIKELY(slot->node != 0)) {
        return slot->node - 1;
    }
    struct trace_node *node = MB_VEC_ADD(&profile->nodes);
    if (node == NULL) {
        return TRACE_NO_NODE;
    }
    *node = (struct trace_node){.id = wanted->id,
                                .parent = wanted->parent,
                                .depth = wanted->depth,
                                .is_inner = wanted->is_inner};
    slot->node = (uint32_t)MB_VEC_COUNT(&profile->nodes);
    return slot->node - 1;
}

static void add_costs(struct trace_node *to, const struct trace_node *costs)
{
    to->calls += costs->calls;
    to->total = trace_add(to->total, costs->total);
    to->own = trace_add(to->own, costs->own);
    to->longest = costs->longest > to->longest ? costs->longest : to->longest;
    to->waited = trace_add(to->waited, costs->waited);
    to->inferred = trace_add(to->inferred, costs->inferred);
    to->worked = trace_add(to->worked, costs->worked);
    to->ready = trace_add(to->ready, costs->ready);
    to->is_open = to->is_open || costs->is_open;
    to->is_folded = to->is_folded || costs->is_folded;
    to->is_idle = to->is_idle || costs->is_idle;
    to->is_sampled = to->is_sampled || costs->is_sampled;
    to->passed = trace_add(to->passed, costs->passed);
}

static void leave_path(struct growing *g, uint32_t depth)
{
    while (g->depth > depth) {
        g->active[node_at(g->profile, g->path[--g->depth])->id]--;
    }
}

static bool add_item(struct growing *g, const struct trace_item *item)
{
    leave_path(g, (uint32_t)item->depth);
    const struct trace_node wanted = {
        .id = item->id,
        .parent = g->depth > 0 ? g->path[g->depth - 1] : TRACE_NO_NODE,
        .depth = g->depth,
        .is_inner = g->active[item->id] > 0,
        .is_open = item->is_open != 0,
        .calls = item->count,
        .total = item->duration,
        .own = item->duration,
        .longest = item->longest,
        .inferred = item->is_inferred ? item->duration : 0,
    };
    uint32_t index = take_child(g->profile, &wanted);
    if (index == TRACE_NO_NODE) {
        return false;
    }
    add_costs(node_at(g->profile, index), &wanted);
    if (wanted.parent != TRACE_NO_NODE) {
        struct trace_node *caller = node_at(g->profile, wanted.parent);
        caller->own = trace_subtract(caller->own, item->duration);
    }
    g->path[g->depth++] = index;
    g->active[item->id]++;
    return true;
}

enum mb_status trace_profile_add(struct trace_profile *profile, const struct trace_item *items,
                                 size_t count, struct mb_error *err)
{
    int32_t deepest = 0;
    bool fits = true;

    for (size_t i = 0; i < count; i++) {
        deepest = items[i].depth > deepest ? items[i].depth : deepest;
    }
    struct growing g = {
        .profile = profile,
        .path = mb_buf_take(&profile->path, (size_t)deepest + 1, sizeof(uint32_t)),
        .active = trace_id_table(&profile->active),
    };
    if (g.path == NULL || g.active == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; fits && i < count; i++) {
        fits = add_item(&g, &items[i]);
    }
    leave_path(&g, 0);
    return fits ? MB_OK : mb_fail_memory(err);
}

enum mb_status trace_profile_merge(struct trace_profile *profile, const struct trace_node *nodes,
                                   size_t count, struct mb_error *err)
{
    /* [index there] = index here; parents come first. */
    uint32_t *places = mb_buf_take(&profile->path, count + 1, sizeof(*places));

    if (places == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        struct trace_node wanted = nodes[i];
        wanted.parent = nodes[i].parent != TRACE_NO_NODE ? places[nodes[i].parent] : TRACE_NO_NODE;
        places[i] = take_child(profile, &wanted);
        if (places[i] == TRACE_NO_NODE) {
            return mb_fail_memory(err);
        }
        add_costs(node_at(profile, places[i]), &nodes[i]);
    }
    return MB_OK;
}

uint32_t trace_profile_child(struct trace_profile *profile, uint32_t parent, uint32_t id)
{
    uint32_t depth = parent != TRACE_NO_NODE ? node_at(profile, parent)->depth + 1 : 0;
    const struct trace_node wanted = {.id = id, .parent = parent, .depth = depth};

    return take_child(profile, &wanted);
}

uint32_t trace_profile_find(const struct trace_profile *profile, uint32_t parent, uint32_t id)
{
    return profile->slots.buf.size > 0 ? find_slot(profile, parent, id)->node - 1 : TRACE_NO_NODE;
}

const struct trace_node *trace_profile_nodes(const struct trace_profile *profile, size_t *count)
{
    *count = MB_VEC_COUNT(&profile->nodes);
    return profile->nodes.items;
}

void trace_profile_reset(struct trace_profile *profile)
{
    mb_buf_reset(&profile->nodes.buf);
    mb_buf_reset(&profile->slots.buf);
}

void trace_profile_finish(struct trace_profile *profile)
{
    mb_buf_finish(&profile->nodes.buf);
    mb_buf_finish(&profile->slots.buf);
    mb_buf_finish(&profile->path);
    mb_buf_finish(&profile->active.buf);
}

/* ---- What methods cost ---- */

size_t trace_subtree(const struct trace_item *items, size_t count, size_t first)
{
    size_t end = first + 1;

    while (end < count && items[end].depth > items[first].depth) {
        end++;
    }
    return end - first;
}

static struct trace_method *row_of(struct trace_methods *methods, uint32_t *index, uint32_t id)
{
    if (index[id] == 0) {
        struct trace_method *row = MB_VEC_ADD(&methods->rows);
        if (row == NULL) {
            return NULL;
        }
        *row = (struct trace_method){.id = id};
        index[id] = (uint32_t)MB_VEC_COUNT(&methods->rows);
    }
    return &methods->rows.items[index[id] - 1];
}

enum mb_status trace_methods_add(struct trace_methods *methods, const struct trace_node *nodes,
                                 size_t count, struct mb_error *err)
{
    uint32_t *index = trace_id_table(&methods->index);

    if (index == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        struct trace_method *row = row_of(methods, index, nodes[i].id);
        if (row == NULL) {
            return mb_fail_memory(err);
        }
        row->calls += nodes[i].calls;
        row->self = trace_add(row->self, nodes[i].own);
        int64_t total = nodes[i].is_inner ? 0 : trace_add(nodes[i].total, nodes[i].passed);
        row->total = trace_add(row->total, total);
        row->sampled = trace_add(row->sampled, nodes[i].is_sampled ? total : 0);
        row->longest = nodes[i].longest > row->longest ? nodes[i].longest : row->longest;
        row->waited = trace_add(row->waited, nodes[i].waited);
        row->inferred = trace_add(row->inferred, nodes[i].is_inner ? 0 : nodes[i].inferred);
        row->idle = trace_add(row->idle, nodes[i].is_idle ? nodes[i].own : 0);
        row->ready = trace_add(row->ready, nodes[i].ready);
    }
    return MB_OK;
}

const struct trace_method *trace_methods_rows(const struct trace_methods *methods, size_t *count)
{
    *count = MB_VEC_COUNT(&methods->rows);
    return methods->rows.items;
}

void trace_methods_reset(struct trace_methods *methods)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&methods->rows); i++) {
        methods->index.items[methods->rows.items[i].id] = 0;
    }
    mb_buf_reset(&methods->rows.buf);
}

void trace_methods_finish(struct trace_methods *methods)
{
    mb_buf_finish(&methods->rows.buf);
    mb_buf_finish(&methods->index.buf);
}
