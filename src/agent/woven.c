
#include "abi/hash.h"
#include "abi/methodmap.h"
#include "agent/weaver.h"
#include "classfile/code.h"
#include "classfile/constants.h"
#include "classfile/opcode.h"
#include "sampler/ids.h"

#include <pthread.h>

#define CALL_SIZE 3u /* of an invokestatic */

/* [id] = hash of the method with that id, 0 if unused. As long as the highest id needs. */
static struct {
    pthread_mutex_t lock;
    struct mb_buf owners; /* uint64_t */
} taken = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Calls of probes ---- */

/* The methods of the bridge. */
static const struct {
    struct mb_text name;
    struct mb_text descriptor;
} calls[] = {
    {MB_TEXT_ROW(ABI_BEAT_ENTER), MB_TEXT_ROW(ABI_BEAT_PROBE_DESC)},
    {MB_TEXT_ROW(ABI_BEAT_EXIT), MB_TEXT_ROW(ABI_BEAT_PROBE_DESC)},
    {MB_TEXT_ROW(ABI_BEAT_CATCH), MB_TEXT_ROW(ABI_BEAT_PROBE_DESC)},
    {MB_TEXT_ROW(ABI_BEAT_FOCUS), MB_TEXT_ROW(ABI_BEAT_FOCUS_DESC)},
};

/* A Methodref of one of them in the class that instrument's probes call. */
static bool find_call(const struct cf_pool *pool, uint16_t index, struct cf_ref *ref)
{
    if (cf_pool_tag(pool, index) != CF_TAG_METHODREF || !cf_pool_ref(pool, index, ref) ||
        !mb_text_is(ref->class_name, ABI_BEAT_CLASS)) {
        return false;
    }
    for (size_t i = 0; i < MB_COUNT(calls); i++) {
        if (mb_text_equal(ref->name, calls[i].name) &&
            mb_text_equal(ref->descriptor, calls[i].descriptor)) {
            return true;
        }
    }
    return false;
}

/* A place in the code of a method. */
struct walk {
    const struct cf_class *cls;
    struct cf_code code;
    uint32_t before; /* the instruction in front of pc */
    uint32_t pc;     /* a call of i, o or c */
    uint32_t next;
};

static bool start_walk(struct walk *walk, const struct cf_class *cls, uint16_t method)
{
    *walk = (struct walk){.cls = cls};
    return cls->methods[method].code != 0 &&
           cf_code_parse(&walk->code, cls, &cls->methods[method], NULL) == MB_OK;
}

/* On to the next call of a probe; false: it was the last, or the code is damaged. */
static bool next_probe(struct walk *walk, struct cf_ref *ref)
{
    const struct cf_code *code = &walk->code;

    while (walk->next < code->size) {
        uint32_t size = cf_insn_size(code->bytes, code->size, walk->next);
        walk->before = walk->pc;
        walk->pc = walk->next;
        walk->next += size;
        if (size == 0) {
            return false;
        }
        if (cf_insn_opcode(code->bytes, walk->pc) == CF_OP_INVOKESTATIC &&
            find_call(&walk->cls->pool, cf_insn_pool_index(code->bytes, walk->pc), ref) &&
            mb_text_is(ref->descriptor, ABI_BEAT_PROBE_DESC)) {
            return true;
        }
    }
    return false;
}

/* (HIGH << 15) | LOW, of a class whose pool was full; end is the offset after it. */
static uint32_t computed_id(const uint8_t *code, uint32_t end)
{
    const uint8_t *push = code + end - 9;
    bool is_ours = end >= 9 && push[0] == CF_OP_BIPUSH && push[2] == CF_OP_BIPUSH &&
                   push[3] == 15 && push[4] == CF_OP_ISHL && push[5] == CF_OP_SIPUSH;

    return is_ours ? (uint32_t)push[1] << 15 | mb_get_u2(push + 6) : 0;
}

/* What the instruction in front of a call pushes (instrument/weave/probe.c); 0: that is not an id.
 */
static uint32_t pushed_id(const struct walk *walk)
{
    const uint8_t *insn = walk->code.bytes + walk->before;
    const uint8_t *entry;
    uint8_t opcode = insn[0];

    switch (opcode) {
    case CF_OP_BIPUSH:
        return insn[1];
    case CF_OP_SIPUSH:
        return mb_get_u2(insn + 1);
    case CF_OP_LDC:
    case CF_OP_LDC_W:
        entry = cf_pool_entry(&walk->cls->pool, opcode == CF_OP_LDC ? insn[1] : mb_get_u2(insn + 1),
                              CF_TAG_INTEGER);
        return entry != NULL ? mb_get_u4(entry) : 0;
    case CF_OP_IOR:
        return computed_id(walk->code.bytes, walk->pc);
    default:
        return opcode > CF_OP_ICONST_0 && opcode <= CF_OP_ICONST_5
                   ? (uint32_t)(opcode - CF_OP_ICONST_0)
                   : 0;
    }
}

/* The id that a method is entered with; 0: it has no probes. */
static uint32_t entry_id(const struct cf_class *cls, uint16_t method)
{
    struct walk walk;
    struct cf_ref ref;

    if (!start_walk(&walk, cls, method)) {
        return 0;
    }
    while (next_probe(&walk, &ref)) {
        if (mb_text_is(ref.name, ABI_BEAT_ENTER)) {
            return pushed_id(&walk);
        }
    }
    return 0;
}

/* ---- Ids ---- */

static bool reserve_owners(uint32_t id)
{
    size_t wanted = ((size_t)id + 1) * sizeof(uint64_t);
    size_t has = taken.owners.size;
    uint8_t *more = has < wanted ? mb_buf_extend(&taken.owners, wanted - has) : NULL;

    if (more != NULL) {
        memset(more, 0, wanted - has);
    }
    return taken.owners.size >= wanted;
}

/* Under the lock. Those of the upper half are the agent's own. */
static bool take_id(const struct abi_method *method, struct mb_buf *lines)
{
    struct mb_buf name = {0};
    uint64_t owner;

    if (method->id >= SAMP_FIRST_ID || !reserve_owners(method->id)) {
        return false;
    }
    abi_methodmap_put_name(&name, method);
    uint64_t wanted = abi_hash(ABI_HASH_START, name.bytes, name.size);
    bool is_named = !name.failed;
    mb_buf_finish(&name);
    uint8_t *place = taken.owners.bytes + (size_t)method->id * sizeof(owner);
    memcpy(&owner, place, sizeof(owner));
    if (owner == 0 && is_named) {
        memcpy(place, &wanted, sizeof(wanted));
        abi_methodmap_put_line(lines, method);
    }
    return is_named && (owner == 0 || owner == wanted);
}

/* Its id is 0 without probes. */
static struct abi_method describe_method(const struct cf_class *cls, uint16_t method)
{
    return (struct abi_method){.id = entry_id(cls, method),
                               .access = cls->methods[method].access_flags,
                               .class_name = cls->name,
                               .name = cf_member_name(cls, &cls->methods[method]),
                               .descriptor = cf_member_descriptor(cls, &cls->methods[method])};
}

bool agent_woven_take(const struct cf_class *cls, struct mb_buf *lines)
{
    bool is_taken = true;

    (void)pthread_mutex_lock(&taken.lock);
    for (uint16_t i = 0; is_taken && i < cls->method_count; i++) {
        const struct abi_method method = describe_method(cls, i);
        is_taken = method.id == 0 || take_id(&method, lines);
    }
    (void)pthread_mutex_unlock(&taken.lock);
    return is_taken;
}

void agent_woven_visit(const struct cf_class *cls,
                       void (*visit)(void *context, const struct abi_method *method), void *context)
{
    for (uint16_t i = 0; i < cls->method_count; i++) {
        const struct abi_method method = describe_method(cls, i);
        if (method.id != 0) {
            visit(context, &method);
        }
    }
}

/* ---- Bytes ---- */

/* The pool grows by the bridge's name; the references of probes name it. */
static void put_turned(const struct cf_class *cls, const struct cf_constants *constants,
                       uint16_t bridge, struct mb_buf *out)
{
    const struct cf_pool *pool = &cls->pool;
    size_t start = out->size;

    mb_buf_put(out, cls->bytes, pool->end);
    mb_buf_put(out, constants->bytes.bytes, constants->bytes.size);
    mb_buf_put(out, cls->bytes + pool->end, cls->size - pool->end);
    if (out->failed) {
        return;
    }
    mb_buf_patch_u2(out, start + 8, constants->count); /* after magic and versions */
    for (uint16_t index = 1; index < pool->count; index++) {
        struct cf_ref ref;
        if (find_call(pool, index, &ref)) {
            mb_buf_patch_u2(out, start + pool->offsets[index] + 1, bridge);
        }
    }
}

enum mb_status agent_woven_turn(const struct cf_class *cls, struct mb_buf *out,
                                struct mb_error *err)
{
    struct cf_constants constants = {0};

    cf_constants_start(&constants, &cls->pool);
    uint16_t bridge = cf_constants_add_class(&constants, MB_TEXT(AGENT_BRIDGE));
    enum mb_status status = constants.is_full ? mb_fail(err, MB_TOO_LARGE, MB_NO_OFFSET,
                                                        "constant pool over 65535 entries")
                                              : mb_buf_check(&constants.bytes, err);
    if (status == MB_OK) {
        put_turned(cls, &constants, bridge, out);
        status = mb_buf_check(out, err);
    }
    cf_constants_finish(&constants);
    return status;
}

void agent_woven_clear(const struct cf_class *cls, uint8_t *bytes)
{
    static const uint8_t instead[CALL_SIZE] = {CF_OP_POP, CF_OP_NOP, CF_OP_NOP};

    for (uint16_t i = 0; i < cls->method_count; i++) {
        struct walk walk;
        struct cf_ref ref;
        if (start_walk(&walk, cls, i)) {
            while (next_probe(&walk, &ref)) {
                memcpy(bytes + walk.code.offset + walk.pc, instead, sizeof(instead));
            }
        }
    }
}
