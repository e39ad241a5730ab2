#include "base/text.h"
#include "recorder/recorder.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct choice {
    const char *name;
    int value;
};

static const struct choice threads_choices[] = {
    {"main", BEAT_THREADS_MAIN}, {"all", BEAT_THREADS_ALL}, {NULL, 0}};

static const struct choice clock_choices[] = {
    {"auto", BEAT_CLOCK_AUTO},
    {"counter", BEAT_CLOCK_COUNTER},
    {"coarse", BEAT_CLOCK_COARSE},
    {NULL, 0},
};

enum kind {
    TEXT,
    CHOICE,
    NUMBER_32,
    NUMBER_64,
};

struct option {
    const char *name;
    const char *variable;
    enum kind kind;
    size_t offset;
    uint64_t limit;
    const struct choice *choices;
};

#define OPTION(name, NAME, kind, limit, choices)                                             \
    {                                                                                        \
#name, "METHODBEAT_" NAME, kind, offsetof(struct beat_options, name), limit, choices \
    }

static const struct option option_table[] = {
    OPTION(file, "FILE", TEXT, 0, NULL),
    OPTION(mapping, "MAPPING", TEXT, 0, NULL),
    OPTION(mapping_hash, "MAPPING_HASH", NUMBER_64, UINT64_MAX, NULL),
    OPTION(process_name, "PROCESS_NAME", TEXT, 0, NULL),
    OPTION(threads, "THREADS", CHOICE, 0, threads_choices),
    OPTION(clock, "CLOCK", CHOICE, 0, clock_choices),
    OPTION(main_words, "MAIN_WORDS", NUMBER_32, 1u << 30, NULL),
    OPTION(thread_words, "THREAD_WORDS", NUMBER_32, 1u << 30, NULL),
    OPTION(max_threads, "MAX_THREADS", NUMBER_32, 4095, NULL),
    OPTION(max_bytes, "MAX_BYTES", NUMBER_64, UINT64_MAX, NULL),
    OPTION(min_ns, "MIN_NS", NUMBER_32, UINT32_MAX, NULL),
    OPTION(tick_ms, "TICK_MS", NUMBER_32, 1000, NULL),
    OPTION(main_thread, "MAIN_THREAD", NUMBER_32, INT32_MAX, NULL),
};

static bool set_choice(void *field, const struct choice *choices, const char *value)
{
    for (; choices->name != NULL; choices++) {
        if (strcmp(choices->name, value) == 0) {
            memcpy(field, &choices->value, sizeof(choices->value));
            return true;
        }
    }
    return false;
}

_Static_assert(sizeof(enum beat_threads) == sizeof(int), "a choice is stored as an int");
_Static_assert(sizeof(enum beat_clock) == sizeof(int), "a choice is stored as an int");

static bool set_number(void *field, const struct option *option, const char *value)
{
    uint64_t number;

    if (!mb_text_to_number(mb_text_of(value), option->limit, &number)) {
        return false;
    }
    if (option->kind == NUMBER_64) {
        memcpy(field, &number, sizeof(number));
    } else {
        uint32_t narrow = (uint32_t)number;
        memcpy(field, &narrow, sizeof(narrow));
    }
    return true;
}

static bool set(struct beat_options *options, const struct option *option, const char *value)
{
    void *field = (char *)options + option->offset;

    if (option->kind == TEXT) {
        memcpy(field, &value, sizeof(value));
        return true;
    }
    return option->kind == CHOICE ? set_choice(field, option->choices, value)
                                  : set_number(field, option, value);
}

bool beat_options_set(struct beat_options *options, const char *name, const char *value)
{
    for (size_t i = 0; i < MB_COUNT(option_table); i++) {
        if (strcmp(option_table[i].name, name) == 0) {
            return set(options, &option_table[i], value);
        }
    }
    return false;
}

void beat_options_init(struct beat_options *options)
{
    *options = (struct beat_options){
        .threads = BEAT_THREADS_MAIN,
        .clock = BEAT_CLOCK_AUTO,
        .main_words = 1000000,
        .thread_words = 65536,
        .max_threads = 63,
        .max_bytes = UINT64_C(256) << 20,
        .tick_ms = 5,
    };
    for (size_t i = 0; i < MB_COUNT(option_table); i++) {
        const char *value = getenv(option_table[i].variable);
        if (value != NULL && !set(options, &option_table[i], value)) {
            beat_log(options, "%s=%s is not understood", option_table[i].variable, value);
        }
    }
}
