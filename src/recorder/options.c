#include "recorder/options.h"

#include "base/text.h"
#include "recorder/core.h"
#include "recorder/plan.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* Listening wakes the process every 100 ms, which drains a battery. */
#if defined(__ANDROID__)
#define DEFAULT_CONTROL BEAT_OFF
#else
#define DEFAULT_CONTROL BEAT_ON
#endif

#define HASH_DIGITS 16u
#define HEXADECIMAL "0123456789abcdefABCDEF"

struct choice {
    const char *name;
    int value;
};

static const struct choice threads_choices[] = {
    {"main", BEAT_THREADS_MAIN}, {"all", BEAT_THREADS_ALL}, {NULL, 0}};

static const struct choice switch_choices[] = {{"off", BEAT_OFF}, {"on", BEAT_ON}, {NULL, 0}};

static const struct choice clock_choices[] = {
    {"auto", BEAT_CLOCK_AUTO},
    {"counter", BEAT_CLOCK_COUNTER},
    {"coarse", BEAT_CLOCK_COARSE},
    {NULL, 0},
};

static const struct choice sample_choices[] = {
    {"off", BEAT_SAMPLE_OFF}, {"only", BEAT_SAMPLE_ONLY}, {"both", BEAT_SAMPLE_BOTH}, {NULL, 0}};

static const struct choice engine_choices[] = {{"auto", BEAT_ENGINE_AUTO},
                                               {"agct", BEAT_ENGINE_AGCT},
                                               {"jvmti", BEAT_ENGINE_JVMTI},
                                               {"java", BEAT_ENGINE_JAVA},
                                               {NULL, 0}};

enum kind {
    TEXT,
    CHOICE,
    NUMBER_32,
    NUMBER_OR_0, /* 32 bits; least is that of the others */
    NUMBER_64,
    HASH,
};

struct option {
    const char *name;
    const char *variable;
    enum kind kind;
    size_t offset;
    uint64_t least;
    uint64_t limit;
    const struct choice *choices;
};

#define OPTION(name, NAME, kind, least, limit, choices)                                     \
    {                                                                                       \
#name, "METHODBEAT_" NAME, kind, offsetof(struct beat_options, name), least, limit, \
            choices                                                                         \
    }

static const struct option option_table[] = {
    OPTION(file, "FILE", TEXT, 0, 0, NULL),
    OPTION(mapping, "MAPPING", TEXT, 0, 0, NULL),
    OPTION(mapping_hash, "MAPPING_HASH", HASH, 0, UINT64_MAX, NULL),
    OPTION(process_name, "PROCESS_NAME", TEXT, 0, 0, NULL),
    OPTION(app, "APP", TEXT, 0, 0, NULL),
    OPTION(threads, "THREADS", CHOICE, 0, 0, threads_choices),
    OPTION(clock, "CLOCK", CHOICE, 0, 0, clock_choices),
    OPTION(main_words, "MAIN_WORDS", NUMBER_32, 1, 1u << 30, NULL),
    OPTION(thread_words, "THREAD_WORDS", NUMBER_32, 0, 1u << 30, NULL),
    OPTION(max_threads, "MAX_THREADS", NUMBER_32, 0, BEAT_MAX_THREADS, NULL),
    OPTION(max_virtual, "MAX_VIRTUAL", NUMBER_32, 0, BEAT_MAX_LANES, NULL),
    OPTION(max_bytes, "MAX_BYTES", NUMBER_64, 1, UINT64_MAX, NULL),
    OPTION(tick_ms, "TICK_MS", NUMBER_32, 0, 1000, NULL),
    OPTION(start_within_ms, "START_WITHIN_MS", NUMBER_32, 0, INT32_MAX, NULL),
    OPTION(profile, "PROFILE", CHOICE, 0, 0, switch_choices),
    OPTION(profile_nodes, "PROFILE_NODES", NUMBER_32, 1, 1u << 24, NULL),
    OPTION(throttle, "THROTTLE", CHOICE, 0, 0, switch_choices),
    OPTION(budget, "BUDGET", NUMBER_32, 0, 100, NULL),
    OPTION(control, "CONTROL", CHOICE, 0, 0, switch_choices),
    OPTION(sample, "SAMPLE", CHOICE, 0, 0, sample_choices),
    OPTION(sample_main_us, "SAMPLE_MAIN_US", NUMBER_32, 500, 1000000, NULL),
    OPTION(sample_threads_us, "SAMPLE_THREADS_US", NUMBER_OR_0, 500, 1000000, NULL),
    OPTION(sample_engine, "SAMPLE_ENGINE", CHOICE, 0, 0, engine_choices),
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
_Static_assert(sizeof(enum beat_switch) == sizeof(int), "a choice is stored as an int");
_Static_assert(sizeof(enum beat_sample) == sizeof(int), "a choice is stored as an int");
_Static_assert(sizeof(enum beat_engine) == sizeof(int), "a choice is stored as an int");

/* Exactly 16 hexadecimal digits, as reports and instrument print it: a shorter number could be
 * meant as a decimal one. */
static bool parse_hash(const char *value, uint64_t *hash)
{
    if (strlen(value) != HASH_DIGITS || strspn(value, HEXADECIMAL) != HASH_DIGITS) {
        return false;
    }
    *hash = strtoull(value, NULL, 16);
    return true;
}

static bool set_number(void *field, const struct option *option, const char *value)
{
    uint64_t number;
    bool is_valid =
        option->kind == HASH
            ? parse_hash(value, &number)
            : mb_text_to_number(mb_text_of(value), option->limit, &number) &&
                  (number >= option->least || (option->kind == NUMBER_OR_0 && number == 0));

    if (is_valid && (option->kind == NUMBER_32 || option->kind == NUMBER_OR_0)) {
        uint32_t narrow = (uint32_t)number;
        memcpy(field, &narrow, sizeof(narrow));
    } else if (is_valid) {
        memcpy(field, &number, sizeof(number));
    }
    return is_valid;
}

static bool set_option(struct beat_options *options, const struct option *option, const char *value)
{
    void *field = (char *)options + option->offset;

    if (option->kind == TEXT) {
        memcpy(field, &value, sizeof(value));
        return true;
    }
    return option->kind == CHOICE ? set_choice(field, option->choices, value)
                                  : set_number(field, option, value);
}

static const struct option *find_option(const char *name)
{
    for (size_t i = 0; i < MB_COUNT(option_table); i++) {
        if (strcmp(option_table[i].name, name) == 0) {
            return &option_table[i];
        }
    }
    return NULL;
}

bool beat_options_set(struct beat_options *options, const char *name, const char *value)
{
    const struct option *option = find_option(name);

    return option != NULL && set_option(options, option, value);
}

/* ---- Messages ---- */

/* Append word to the terminated text, after a separator unless text is empty; cut to size. */
static void add_word(char *text, size_t size, const char *separator, const char *word)
{
    size_t used = strlen(text);

    (void)snprintf(text + used, size - used, "%s%s", used > 0 ? separator : "", word);
}

static void put_bounds(char *text, size_t size, const struct option *option)
{
    char from[32] = "";

    if (option->least > 0) {
        (void)snprintf(from, sizeof(from), " from %" PRIu64, option->least);
    }
    (void)snprintf(text, size, "%sa number%s up to %" PRIu64,
                   option->kind == NUMBER_OR_0 ? "0 or " : "", from, option->limit);
}

bool beat_options_values(const char *name, char *text, size_t size)
{
    const struct option *option = find_option(name);

    text[0] = '\0';
    if (option == NULL) {
        return false;
    }
    if (option->kind == TEXT) {
        add_word(text, size, "", "any text");
    } else if (option->kind == HASH) {
        add_word(text, size, "", "16 hexadecimal digits");
    } else if (option->kind != CHOICE) {
        put_bounds(text, size, option);
    }
    for (const struct choice *choice = option->choices; choice != NULL && choice->name != NULL;
         choice++) {
        add_word(text, size, choice[1].name != NULL ? ", " : " or ", choice->name);
    }
    return true;
}

void beat_options_names(char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < MB_COUNT(option_table); i++) {
        add_word(text, size, ", ", option_table[i].name);
    }
}

/* ---- The environment ---- */

/* A setuid program ignores the environment of its caller. */
static const char *find_variable(const char *name)
{
    return getauxval(AT_SECURE) != 0 ? NULL : getenv(name);
}

static void set_from_environment(struct beat_options *options, const struct option *option)
{
    const char *value = find_variable(option->variable);
    char values[64];

    if (value != NULL && !set_option(options, option, value)) {
        (void)beat_options_values(option->name, values, sizeof(values));
        beat_log(options, "%s=%s is not understood: %s", option->variable, value, values);
    }
}

void beat_options_init(struct beat_options *options)
{
    *options = (struct beat_options){
        .threads = BEAT_THREADS_MAIN,
        .clock = BEAT_CLOCK_AUTO,
        .main_words = 1000000,
        .max_threads = 63,
        .max_bytes = UINT64_C(256) << 20,
        .tick_ms = 5,
        .profile = BEAT_OFF,
        .profile_nodes = 1000000,
        .throttle = BEAT_ON,
        .budget = 5,
        .start_within_ms = 10000,
        .control = DEFAULT_CONTROL,
        .sample_main_us = 5000,
        .sample_threads_us = 20000,
    };
    for (size_t i = 0; i < MB_COUNT(option_table); i++) {
        set_from_environment(options, &option_table[i]);
    }
}
