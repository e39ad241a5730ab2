#include "recorder/profile/branches.h"

#include "abi/record.h"
#include "base/number.h"
#include "base/pages.h"
#include "recorder/profile/tree.h"

#define LEAST_CALLS 60u /* of a method before its branches are believed */
#define PARTS 50u       /* one of this number of calls, at least, leads elsewhere than most do */
#define NO_CHAIN UINT32_MAX

/* Calls from the body of a thread down to a method, of all threads of a pool. */
struct chain {
    uint32_t parent; /* its caller's, or NO_CHAIN */
    uint32_t id;
    uint32_t pool; /* of the first one: by the name of its threads, without numbers */
    uint64_t calls;
    uint64_t total;
    uint64_t longest;      /* of each thread's calls, in sum */
    uint64_t branch_calls; /* of methods that not every call of it makes, */
    uint64_t branch_total;
    uint64_t most_calls; /* of one of these */
    uint32_t point;      /* the branching in it or below with most time, + 1 */
    bool is_cut;         /* a call that it makes is muted, whose calls seem to be its own */
    bool is_folded;
    bool has_point;
};

struct chains {
    struct chain *rows; /* callers come first */
    uint32_t count;
    uint32_t *of_nodes; /* index + 1; 0: a body */
    uint32_t *slots;    /* hash table: index + 1 */
    size_t slot_count;  /* a power of two, more than twice as many as nodes */
};

/* ---- Chains ---- */

static uint32_t pool_of(const struct abi_profile_thread *row)
{
    uint32_t hash = 1;

    for (size_t i = 0; i < ABI_TRACE_NAME_SIZE && row->name[i] != '\0'; i++) {
        char c = row->name[i];
        hash = c >= '0' && c <= '9' ? hash : hash * 31 + (uint8_t)c;
    }
    return hash;
}

static uint32_t *find_slot(const struct chains *chains, uint32_t parent, uint32_t pool, uint32_t id)
{
    uint64_t key = ((uint64_t)parent << 32 | id) + pool;
    size_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (chains->slot_count - 1);

    for (; chains->slots[at] != 0; at = (at + 1) & (chains->slot_count - 1)) {
        const struct chain *chain = &chains->rows[chains->slots[at] - 1];
        if (chain->parent == parent && chain->pool == pool && chain->id == id) {
            break;
        }
    }
    return &chains->slots[at];
}

static void add_node(struct chains *chains, const struct abi_profile_node *node, uint32_t index,
                     const struct abi_profile_thread *rows)
{
    bool is_first = node->parent == ABI_PROFILE_NO_NODE || chains->of_nodes[node->parent] == 0;
    uint32_t parent = is_first ? NO_CHAIN : chains->of_nodes[node->parent] - 1;
    uint32_t pool = is_first ? pool_of(&rows[node->thread]) : 0;
    uint32_t *slot = find_slot(chains, parent, pool, node->id);

    if (*slot == 0) {
        chains->rows[chains->count] =
            (struct chain){.parent = parent, .id = node->id, .pool = pool};
        *slot = ++chains->count;
    }
    struct chain *chain = &chains->rows[*slot - 1];
    chain->calls += prof_get(&node->calls);
    chain->total += prof_get(&node->total);
    chain->longest += mb_min_u64(prof_get(&node->longest), prof_get(&node->total));
    chain->is_folded |= (node->flags & ABI_PROFILE_FOLDED) != 0;
    chains->of_nodes[index] = *slot;
}

/* False without memory; finish also then. */
static bool begin_chains(struct chains *chains, uint32_t count)
{
    *chains = (struct chains){.slot_count = 2};
    while (chains->slot_count <= (size_t)count * 2) {
        chains->slot_count *= 2;
    }
    chains->rows = mb_map_zeroes((size_t)count + 1, sizeof(*chains->rows));
    chains->of_nodes = mb_map_zeroes((size_t)count + 1, sizeof(*chains->of_nodes));
    chains->slots = mb_map_zeroes(chains->slot_count, sizeof(*chains->slots));
    return chains->rows != NULL && chains->of_nodes != NULL && chains->slots != NULL;
}

static void finish_chains(struct chains *chains, uint32_t count)
{
    mb_unmap_zeroes(chains->rows, (size_t)count + 1, sizeof(*chains->rows));
    mb_unmap_zeroes(chains->of_nodes, (size_t)count + 1, sizeof(*chains->of_nodes));
    mb_unmap_zeroes(chains->slots, chains->slot_count, sizeof(*chains->slots));
}

/* ---- Branchings ---- */

/* Once or more. */
static bool is_each_time(const struct chain *caller, const struct chain *chain)
{
    return chain->calls >= caller->calls - caller->calls / 10;
}

static void look_at_call(const struct prof_tree *tree, struct chain *caller,
                         const struct chain *chain)
{
    caller->is_cut |= tree->methods[chain->id & ABI_ID_MASK].muted_since != 0;
    if (!is_each_time(caller, chain)) {
        caller->branch_calls += chain->calls;
        caller->branch_total += chain->total;
        caller->most_calls = mb_max_u64(caller->most_calls, chain->calls);
    }
}

/* The first call of each thread may have taken long by itself, as where classes are loaded. */
static uint64_t half_of(const struct chain *chain)
{
    return (chain->total - chain->longest) / 2;
}

static bool does_branch(const struct chain *chain)
{
    uint64_t others = chain->branch_calls - chain->most_calls;

    return chain->calls >= LEAST_CALLS && others * PARTS >= chain->calls && !chain->is_cut &&
           !chain->is_folded && chain->branch_calls >= chain->calls - chain->calls / 10 &&
           chain->branch_calls <= chain->calls + chain->calls / 10 &&
           chain->branch_total >= half_of(chain);
}

static uint8_t *role_of(const struct prof_tree *tree, const struct chain *chain)
{
    return &tree->methods[chain->id & ABI_ID_MASK].role;
}

static void add_role(const struct prof_tree *tree, const struct chain *chain, enum prof_role role)
{
    *role_of(tree, chain) = (uint8_t)(*role_of(tree, chain) | role);
}

static void find_points(const struct prof_tree *tree, const struct chains *chains)
{
    struct chain *rows = chains->rows;

    for (uint32_t i = chains->count; i-- > 0;) {
        struct chain *caller = &rows[rows[i].parent != NO_CHAIN ? rows[i].parent : i];
        if (does_branch(&rows[i])) {
            rows[i].point = i + 1;
            add_role(tree, &rows[i], PROF_POINT);
        }
        uint32_t mine = rows[i].point;
        uint32_t other = caller->point;
        bool is_more = mine != 0 && (other == 0 || rows[mine - 1].total > rows[other - 1].total);
        caller->point = is_more ? mine : other;
    }
    for (uint32_t i = chains->count; i-- > 0;) {
        struct chain *caller = &rows[rows[i].parent != NO_CHAIN ? rows[i].parent : i];
        rows[i].has_point |= (*role_of(tree, &rows[i]) & PROF_POINT) != 0;
        caller->has_point |= rows[i].has_point;
    }
}

/* Each call of it leads there, some of them twice: a connection is read for as long as it has a
 * request. */
static bool does_lead(const struct chain *chain, const struct chain *point)
{
    return chain->calls >= LEAST_CALLS && point->calls >= chain->calls - chain->calls / 10 &&
           point->calls < 2 * chain->calls && point->total >= half_of(chain);
}

/* What leads to a branching may be called more often than that, and by itself, as filters are. */
static void find_links(const struct prof_tree *tree, const struct chains *chains, uint32_t index)
{
    struct chain *rows = chains->rows;
    const struct chain *chain = &rows[index];
    const struct chain *caller = chain->parent != NO_CHAIN ? &rows[chain->parent] : NULL;
    bool is_asked = caller == NULL || (*role_of(tree, caller) & PROF_POINT) != 0;
    const struct chain *point = &rows[chain->point > 0 ? chain->point - 1 : index];

    if (is_asked && does_lead(chain, point)) {
        for (; point != chain; point = &rows[point->parent]) {
            add_role(tree, &rows[point->parent], PROF_LINK);
        }
    }
    if (caller != NULL && caller->point == chain->parent + 1 && is_each_time(caller, chain)) {
        add_role(tree, chain, PROF_ALWAYS);
    }
}

void prof_find_branches(struct prof_tree *tree, const struct abi_profile_thread *rows,
                        uint8_t *marks, uint32_t count)
{
    struct chains chains;
    bool has_memory = begin_chains(&chains, count);

    for (uint32_t i = 0; has_memory && i < count; i++) {
        if ((marks[i] & PROF_IS_BODY) == 0) {
            add_node(&chains, &tree->nodes[i], i, rows);
        }
    }
    for (uint32_t i = 0; i < chains.count; i++) {
        if (chains.rows[i].parent != NO_CHAIN) {
            look_at_call(tree, &chains.rows[chains.rows[i].parent], &chains.rows[i]);
        }
    }
    if (has_memory) {
        find_points(tree, &chains);
    }
    for (uint32_t i = 0; i < chains.count; i++) {
        find_links(tree, &chains, i);
    }
    for (uint32_t i = 0; i < count && has_memory; i++) {
        uint32_t chain = chains.of_nodes[i];
        marks[i] |= chain > 0 && chains.rows[chain - 1].has_point ? PROF_HAS_POINT : 0;
    }
    finish_chains(&chains, count);
}
