#include "issues/fleet/names.h"

#include "abi/blame.h"
#include "abi/hash.h"

static size_t skip_digits(struct mb_text text, size_t at)
{
    while (at < text.size && mb_is_digit(text.data[at])) {
        at++;
    }
    return at;
}

/* Where a part of a name ends: at the next class or member, at types, at places. */
static bool ends_part(struct mb_text text, size_t at)
{
    return at == text.size || strchr(".$(:/ ", text.data[at]) != NULL;
}

/* Skips what a JVM writes after $$Lambda: "$14/0x00007f0042.run" up to the dot. */
static size_t skip_lambda_number(struct mb_text text, size_t at)
{
    while (at < text.size && text.data[at] != '.' && text.data[at] != '(') {
        at++;
    }
    return at;
}

static bool is_in_lambda(struct mb_text function, size_t at)
{
    size_t part = mb_text_after_last((struct mb_text){function.data, at}, '.');

    return mb_text_starts(mb_text_from(function, part), MB_TEXT("lambda$"));
}

/* What the $ at that place stands for. Where to go on. */
static size_t put_stable_part(struct mb_buf *out, struct mb_text function, size_t at)
{
    static const struct {
        struct mb_text start;
        size_t (*skip)(struct mb_text text, size_t at);
    } made[] = {{MB_TEXT_ROW("$$Lambda"), skip_lambda_number},
                {MB_TEXT_ROW("$$ExternalSyntheticLambda"), skip_digits}};
    size_t end = skip_digits(function, at + 1);

    for (size_t i = 0; i < MB_COUNT(made); i++) {
        if (mb_text_starts(mb_text_from(function, at), made[i].start)) {
            mb_buf_put(out, made[i].start.data, made[i].start.size);
            return made[i].skip(function, at + made[i].start.size);
        }
    }
    bool is_number = end > at + 1 && ends_part(function, end);
    mb_buf_put_string(out, !is_number ? "$" : is_in_lambda(function, at) ? "" : "$*");
    return is_number ? end : at + 1;
}

void fleet_put_stable_name(struct mb_buf *out, struct mb_text function)
{
    for (size_t at = 0; at < function.size;) {
        struct mb_text rest = mb_text_from(function, at);
        struct mb_text plain = mb_text_split(&rest, '$');
        mb_buf_put(out, plain.data, plain.size);
        at += plain.size;
        at = at < function.size ? put_stable_part(out, function, at) : at;
    }
}

static int64_t key_of(uint64_t hash)
{
    int64_t key;

    memcpy(&key, &hash, sizeof(key));
    return key;
}

static uint64_t hash_stable(uint64_t hash, struct mb_buf *scratch, struct mb_text function)
{
    scratch->size = 0; /* a failure stays */
    fleet_put_stable_name(scratch, function);
    return abi_hash(hash, scratch->bytes, scratch->size);
}

int64_t fleet_hash_method(struct mb_buf *scratch, struct mb_text name)
{
    return key_of(hash_stable(ABI_HASH_START, scratch, name));
}

int64_t fleet_hash_path(int64_t parent, int64_t method)
{
    uint8_t bytes[16];

    mb_set_u4(bytes, (uint32_t)((uint64_t)parent >> 32));
    mb_set_u4(bytes + 4, (uint32_t)parent);
    mb_set_u4(bytes + 8, (uint32_t)((uint64_t)method >> 32));
    mb_set_u4(bytes + 12, (uint32_t)method);
    return key_of(abi_hash(ABI_HASH_START, bytes, sizeof(bytes)));
}

/* Of the innermost functions, most at most: those that do more than wait, or any if the stack only
 * waits. */
static uint64_t hash_innermost(struct mb_text frames, struct mb_buf *scratch, unsigned most)
{
    bool is_idle = abi_is_waiting(abi_find_blame(frames, MB_TEXT("")).name);
    uint64_t hash = ABI_HASH_START;

    while (frames.size > 0 && most > 0) {
        struct mb_text function = abi_function_of(mb_text_split(&frames, '\n'));
        if (function.size > 0 && (is_idle || !abi_is_waiting(function))) {
            hash = abi_hash(hash_stable(hash, scratch, function), "\n", 1);
            most--;
        }
    }
    return hash;
}

struct fleet_cause fleet_find_cause(struct mb_text frames, struct mb_text prefixes,
                                    struct mb_buf *scratch)
{
    const struct abi_blame blame = abi_find_blame(frames, prefixes);
    uint64_t hash = abi_hash(hash_stable(ABI_HASH_START, scratch, blame.name), "\n", 1);

    if (blame.name.size == 0) {
        return (struct fleet_cause){0};
    }
    if (!blame.has_own) {
        hash = hash_innermost(frames, scratch, 2);
    } else if (blame.waits_in.size > 0) {
        hash = abi_hash(hash_stable(hash, scratch, blame.waits_in), "\n", 1);
    }
    return (struct fleet_cause){key_of(hash), key_of(hash_innermost(frames, scratch, 4)),
                                blame.name};
}
