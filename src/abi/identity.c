#include "abi/identity.h"

#include "abi/tracefile.h"
#include "base/number.h"
#include "base/processors.h"

#include <stdio.h>

static const struct key {
    const char *name;
    bool is_number;
} keys[] = {
    {"id", false},       {"version", false}, {"code", true},   {"channel", false}, {"build", false},
    {"r8", false},       {"device", false},  {"model", false}, {"maker", false},   {"os", false},
    {"os_level", false}, {"abi", false},     {"cores", true},
};

static const struct key *find_key(struct mb_text name)
{
    for (size_t i = 0; i < MB_COUNT(keys); i++) {
        if (mb_text_is(name, keys[i].name)) {
            return &keys[i];
        }
    }
    return NULL;
}

/* ---- Pairs ---- */

bool abi_identity_next(struct mb_text *pairs, struct mb_text *key, struct mb_text *value)
{
    if (pairs->size == 0) {
        return false;
    }
    *value = mb_text_split(pairs, ',');
    *key = mb_text_split(value, '=');
    return true;
}

struct mb_text abi_identity_find(struct mb_text pairs, const char *key)
{
    struct mb_text name;
    struct mb_text value;

    while (abi_identity_next(&pairs, &name, &value)) {
        if (mb_text_is(name, key)) {
            return value;
        }
    }
    return (struct mb_text){"", 0};
}

/* What is wrong with the value; NULL: nothing. */
static const char *find_fault(const struct key *key, struct mb_text value)
{
    uint64_t number;

    if (value.size == 0) {
        return "has no value";
    }
    if (value.size > ABI_IDENTITY_VALUE) {
        return "is longer than 127 bytes";
    }
    if (mb_text_printable(value) < value.size || memchr(value.data, ',', value.size) != NULL) {
        return "is no readable UTF-8";
    }
    return key->is_number && !mb_text_to_number(value, INT64_MAX, &number) ? "is no number" : NULL;
}

static enum mb_status check_pair(struct mb_text name, struct mb_text value, struct mb_text rest,
                                 struct mb_error *err)
{
    const struct key *key = find_key(name);

    if (key == NULL) {
        size_t shown = mb_text_printable(name);
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "has no key %.*s: they are %s",
                       (int)(shown < 32 ? shown : 32), name.data, ABI_IDENTITY_KEYS);
    }
    const char *fault =
        abi_identity_find(rest, key->name).size > 0 ? "is given twice" : find_fault(key, value);
    return fault == NULL ? MB_OK
                         : mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "%s %s", key->name, fault);
}

enum mb_status abi_identity_check(struct mb_text pairs, struct mb_error *err)
{
    struct mb_text key;
    struct mb_text value;

    if (pairs.size >= ABI_IDENTITY_SIZE || (pairs.size > 0 && pairs.data[pairs.size - 1] == ',')) {
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "is KEY=VALUE pairs, at most %u bytes",
                       ABI_IDENTITY_SIZE - 1);
    }
    while (abi_identity_next(&pairs, &key, &value)) {
        MB_TRY(check_pair(key, value, pairs, err));
    }
    return MB_OK;
}

void abi_identity_add(char pairs[ABI_IDENTITY_SIZE], const char *key, const char *value)
{
    const struct mb_text there = mb_text_of(pairs);
    const struct key *known = find_key(mb_text_of(key));
    size_t room = ABI_IDENTITY_SIZE - there.size;

    if (known != NULL && abi_identity_find(there, key).size == 0 &&
        find_fault(known, mb_text_of(value)) == NULL &&
        strlen(key) + strlen(value) + sizeof(",=") <= room) {
        (void)snprintf(pairs + there.size, room, "%s%s=%s", there.size > 0 ? "," : "", key, value);
    }
}

void abi_identity_complete(char pairs[ABI_IDENTITY_SIZE], struct mb_text told)
{
    struct mb_machine machine;
    char cores[16];

    memcpy(pairs, told.data, told.size);
    pairs[told.size] = '\0';
    if (told.size > 0 && mb_machine_look(&machine)) {
        (void)snprintf(cores, sizeof(cores), "%u", mb_processor_count());
        abi_identity_add(pairs, "os", machine.system);
        abi_identity_add(pairs, "os_level", machine.release);
        abi_identity_add(pairs, "abi", machine.processor);
        abi_identity_add(pairs, "cores", cores);
    }
}

struct mb_text abi_identity_of_trace(const struct abi_tracefile *trace)
{
    const struct abi_identity_area *area = (const void *)(trace->bytes + ABI_IDENTITY_OFFSET);

    if (trace->size < ABI_IDENTITY_OFFSET + sizeof(*area)) {
        return MB_TEXT("");
    }
    struct mb_text pairs = {area->pairs, atomic_load_explicit(&area->size, memory_order_acquire)};
    return pairs.size <= sizeof(area->pairs) && abi_identity_check(pairs, NULL) == MB_OK
               ? pairs
               : MB_TEXT("");
}

void abi_identity_put(struct mb_json *json, struct mb_text pairs)
{
    struct mb_text key;
    struct mb_text value;

    while (abi_identity_next(&pairs, &key, &value)) {
        const struct key *known = find_key(key);
        uint64_t number;
        if (known != NULL && known->is_number && mb_text_to_number(value, INT64_MAX, &number)) {
            mb_json_count(json, known->name, number);
        } else if (known != NULL) {
            mb_json_text(json, known->name, value);
        }
    }
}
