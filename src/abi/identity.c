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
    {"os_level", false}, {"abi", false},     {"cores", true},  {"memory", true},   {"class", false},
};

/* Members of the object beside its pairs. */
static const char *const reserved[] = {"share", "session"};

static const struct key *find_key(struct mb_text name)
{
    for (size_t i = 0; i < MB_COUNT(keys); i++) {
        if (mb_text_is(name, keys[i].name)) {
            return &keys[i];
        }
    }
    return NULL;
}

/* What the program adds: a word of small letters, digits and underscores. */
bool abi_identity_is_stratum(struct mb_text name)
{
    bool is_word = name.size > 0 && name.size <= ABI_STRATUM_NAME && !mb_is_digit(name.data[0]);

    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        is_word = is_word && ((c >= 'a' && c <= 'z') || mb_is_digit(c) || c == '_');
    }
    for (size_t i = 0; i < MB_COUNT(reserved); i++) {
        is_word = is_word && !mb_text_is(name, reserved[i]);
    }
    return is_word && find_key(name) == NULL;
}

const char *abi_identity_class(uint64_t memory)
{
    static const struct {
        uint64_t gigabytes;
        const char *name;
    } classes[] = {{12, "BEST"}, {6, "HIGH"}, {4, "MIDDLE"}, {2, "LOW"}, {0, "BAD"}};
    size_t i = 0;

    while (memory < classes[i].gigabytes << 30) {
        i++;
    }
    return classes[i].name;
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

/* False, with an empty value, if no pair has the key. */
static bool find_pair(struct mb_text pairs, struct mb_text key, struct mb_text *value)
{
    struct mb_text name;

    while (abi_identity_next(&pairs, &name, value)) {
        if (mb_text_equal(name, key)) {
            return true;
        }
    }
    *value = (struct mb_text){"", 0};
    return false;
}

struct mb_text abi_identity_find(struct mb_text pairs, const char *key)
{
    struct mb_text value;

    (void)find_pair(pairs, mb_text_of(key), &value);
    return value;
}

/* What is wrong with the value; NULL: nothing. key NULL: of a stratum. */
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
    return key != NULL && key->is_number && !mb_text_to_number(value, INT64_MAX, &number)
               ? "is no number"
               : NULL;
}

static enum mb_status check_pair(struct mb_text name, struct mb_text value, struct mb_text rest,
                                 struct mb_error *err)
{
    const struct key *key = find_key(name);

    if (key == NULL && !abi_identity_is_stratum(name)) {
        size_t shown = mb_text_printable(name);
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "has no key %.*s: they are %s",
                       (int)(shown < 24 ? shown : 24), name.data, ABI_IDENTITY_KEYS);
    }
    struct mb_text other;
    const char *fault = find_pair(rest, name, &other) ? "is given twice" : find_fault(key, value);
    return fault == NULL ? MB_OK
                         : mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "%.*s %s", (int)name.size,
                                   name.data, fault);
}

MB_COLD enum mb_status abi_identity_check(struct mb_text pairs, struct mb_error *err)
{
    struct mb_text key;
    struct mb_text value;
    unsigned strata = 0;

    if (pairs.size >= ABI_IDENTITY_SIZE || (pairs.size > 0 && pairs.data[pairs.size - 1] == ',')) {
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "is KEY=VALUE pairs, at most %u bytes",
                       ABI_IDENTITY_SIZE - 1);
    }
    while (abi_identity_next(&pairs, &key, &value)) {
        MB_TRY(check_pair(key, value, pairs, err));
        strata += find_key(key) == NULL;
    }
    return strata <= ABI_STRATUM_MOST
               ? MB_OK
               : mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "has %u keys of its own, at most %u",
                         strata, ABI_STRATUM_MOST);
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
    struct mb_machine machine = {.memory = 0};
    char number[24];

    memcpy(pairs, told.data, told.size);
    pairs[told.size] = '\0';
    if (told.size > 0 && mb_machine_look(&machine)) {
        (void)snprintf(number, sizeof(number), "%u", mb_processor_count());
        abi_identity_add(pairs, "os", machine.system);
        abi_identity_add(pairs, "os_level", machine.release);
        abi_identity_add(pairs, "abi", machine.processor);
        abi_identity_add(pairs, "cores", number);
    }
    if (told.size > 0 && machine.memory > 0) {
        (void)snprintf(number, sizeof(number), "%" PRIu64, machine.memory >> 20);
        abi_identity_add(pairs, "memory", number);
        abi_identity_add(pairs, "class", abi_identity_class(machine.memory));
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
        char name[ABI_STRATUM_NAME + 1];
        uint64_t number;
        if (known != NULL && known->is_number && mb_text_to_number(value, INT64_MAX, &number)) {
            mb_json_count(json, known->name, number);
        } else if (known != NULL || abi_identity_is_stratum(key)) {
            (void)snprintf(name, sizeof(name), "%.*s", (int)key.size, key.data);
            mb_json_text(json, name, value);
        }
    }
}
