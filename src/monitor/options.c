#include "monitor/options.h"

#include "abi/identity.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct choice {
    const char *name; /* NULL ends the table */
    uint32_t value;
};

#define CHOICE_ROW(NAME, text) {text, MON_##NAME},
static const struct choice choices_PRESET[] = {MON_CHOICES_PRESET(CHOICE_ROW){NULL, 0}};

enum kind { NUMBER, SET, PART, CHOICE, TEXT, LIMITS };

struct mon_option {
    const char *name;
    const char *matrix_key;
    const char *initial; /* the default of texts and limits; the word of a part */
    const struct choice *choices;
    int64_t standard; /* the default of the others */
    int64_t least;
    int64_t most;
    size_t offset;
    size_t size;
    enum kind kind;
};

#define PLACE(field)                                               \
    .name = #field, .offset = offsetof(struct mon_options, field), \
    .size = sizeof(((struct mon_options *)NULL)->field)

static const struct mon_option option_table[] = {
#define MON_NUMBER(field, value, from, to, key, help)                         \
    {PLACE(field), .kind = NUMBER,      .standard = (value), .least = (from), \
     .most = (to), .matrix_key = (key), .initial = ""},
#define MON_SET(field, help) {.name = #field, .kind = SET, .matrix_key = "", .initial = ""},
#define MON_PART(field, word, key) \
    {PLACE(field), .kind = PART, .standard = 1, .matrix_key = (key), .initial = (word)},
#define MON_CHOICE(field, VALUE, CHOICES, help) \
    {PLACE(field),                              \
     .kind = CHOICE,                            \
     .standard = MON_##CHOICES##_##VALUE,       \
     .matrix_key = "",                          \
     .choices = choices_##CHOICES,              \
     .initial = ""},
#define MON_TEXT(field, space, value, help) \
    {PLACE(field), .kind = TEXT, .initial = (value), .matrix_key = ""},
#define MON_LIMITS(field, value, help) \
    {PLACE(field), .kind = LIMITS, .initial = (value), .matrix_key = ""},
#include "monitor/options.def"
};

/* ---- From text ---- */

static void *place_of(struct mon_options *options, const struct mon_option *option)
{
    return (char *)options + option->offset;
}

static const void *value_of(const struct mon_options *options, const struct mon_option *option)
{
    return (const char *)options + option->offset;
}

static bool set_number(int64_t *place, const struct mon_option *option, const char *value)
{
    uint64_t number;

    if (!mb_text_to_number(mb_text_of(value), (uint64_t)option->most, &number) ||
        (int64_t)number < option->least) {
        return false;
    }
    *place = (int64_t)number;
    return true;
}

static bool set_part(bool *place, const char *value)
{
    static const struct choice words[] = {{"1", 1},  {"0", 0},   {"true", 1}, {"false", 0},
                                          {"on", 1}, {"off", 0}, {NULL, 0}};

    for (const struct choice *word = words; word->name != NULL; word++) {
        if (strcmp(word->name, value) == 0) {
            *place = word->value != 0;
            return true;
        }
    }
    return false;
}

static size_t find_part(struct mb_text word)
{
    size_t i = 0;

    while (i < MB_COUNT(option_table) &&
           (option_table[i].kind != PART || !mb_text_is(word, option_table[i].initial))) {
        i++;
    }
    return i;
}

/* The parts that the list names, and no other. */
static bool set_parts(struct mon_options *options, const char *value)
{
    bool is_on[MB_COUNT(option_table)] = {0};
    struct mb_text rest = mb_text_of(value);

    while (rest.size > 0) {
        size_t part = find_part(mb_text_split(&rest, ','));
        if (part == MB_COUNT(option_table)) {
            return false;
        }
        is_on[part] = true;
    }
    for (size_t i = 0; i < MB_COUNT(option_table); i++) {
        if (option_table[i].kind == PART) {
            *(bool *)place_of(options, &option_table[i]) = is_on[i];
        }
    }
    return true;
}

static bool set_choice(uint32_t *place, const struct choice *choice, const char *value)
{
    for (; choice->name != NULL; choice++) {
        if (strcmp(choice->name, value) == 0) {
            *place = choice->value;
            return true;
        }
    }
    return false;
}

static bool set_text(char *place, const struct mon_option *option, const char *value)
{
    struct mb_text text = mb_text_of(value);
    bool is_app = option->offset == offsetof(struct mon_options, app);

    if (text.size >= option->size || mb_text_printable(text) < text.size ||
        (is_app && abi_identity_check(text, NULL) != MB_OK)) {
        return false;
    }
    memcpy(place, value, text.size + 1);
    return true;
}

static bool parse_limit(struct mon_limit *limit, struct mb_text text)
{
    struct mb_text ms = mb_text_split(&text, 'x');
    uint64_t number;

    if (!mb_text_to_number(ms, 600000, &number) || number == 0) {
        return false;
    }
    limit->ms = (uint32_t)number;
    if (!mb_text_to_number(text, MON_LIMIT_STALLS, &number) || number == 0) {
        return false;
    }
    limit->count = (uint32_t)number;
    return true;
}

static bool set_limits(struct mon_limits *place, const char *value)
{
    struct mon_limits limits = {0};
    struct mb_text rest = mb_text_of(value);

    while (rest.size > 0) {
        bool more = rest.data[rest.size - 1] != ','; /* else the last is missing */
        struct mb_text part = mb_text_split(&rest, ',');
        if (!more || limits.count == MON_LIMIT_COUNT ||
            !parse_limit(&limits.limits[limits.count++], part)) {
            return false;
        }
    }
    *place = limits;
    return true;
}

static bool set_value(struct mon_options *options, const struct mon_option *option,
                      const char *value)
{
    void *place = place_of(options, option);

    switch (option->kind) {
    case NUMBER:
        return set_number(place, option, value);
    case SET:
        return set_parts(options, value);
    case PART:
        return set_part(place, value);
    case CHOICE:
        return set_choice(place, option->choices, value);
    case TEXT:
        return set_text(place, option, value);
    case LIMITS:
        return set_limits(place, value);
    }
    return false;
}

/* ---- Presets ---- */

struct preset {
    uint32_t preset;
    const char *name;
    const char *value;
};

static const struct preset presets[] = {
    {MON_PRESET_DEVELOPMENT, "report_share", "10000"},
    {MON_PRESET_DEVELOPMENT, "keep_days", "7"},
    {MON_PRESET_DEVELOPMENT, "fps_hitch_ms", "10"},
    {MON_PRESET_PRODUCTION, "report_share", "500"},
    {MON_PRESET_PRODUCTION, "keep_days", "7"},
    {MON_PRESET_PRODUCTION, "fps_hitch_ms", "10"},
    {MON_PRESET_MATRIX, "report_share", "10000"},
    {MON_PRESET_MATRIX, "keep_days", "10"},
    {MON_PRESET_MATRIX, "fps_hitch_ms", "0"},
};

static void apply_preset(struct mon_options *options)
{
    for (size_t i = 0; i < MB_COUNT(presets); i++) {
        if (presets[i].preset == options->preset) {
            (void)set_value(options, mon_option_find(presets[i].name), presets[i].value);
        }
    }
}

bool mon_options_set(struct mon_options *options, const char *name, const char *value)
{
    const struct mon_option *option = mon_option_find(name);

    if (option == NULL || !set_value(options, option, value)) {
        return false;
    }
    if (option->kind == CHOICE) { /* the preset */
        apply_preset(options);
    }
    return true;
}

static void set_default(struct mon_options *options, const struct mon_option *option)
{
    void *place = place_of(options, option);

    switch (option->kind) {
    case NUMBER:
        *(int64_t *)place = option->standard;
        break;
    case SET:
        break;
    case PART:
        *(bool *)place = option->standard != 0;
        break;
    case CHOICE:
        *(uint32_t *)place = (uint32_t)option->standard;
        break;
    case TEXT:
    case LIMITS:
        (void)set_value(options, option, option->initial);
        break;
    }
}

void mon_options_init(struct mon_options *options)
{
    memset(options, 0, sizeof(*options));
    for (size_t i = 0; i < MB_COUNT(option_table); i++) {
        set_default(options, &option_table[i]);
    }
#define MON_FIXED(field, value) options->field = (value);
#include "monitor/options.def"
}

int64_t mon_options_slow_ns(const struct mon_options *options)
{
    int64_t ms = options->sample_after_ms;

    ms = options->evil_enable ? mb_min_i64(ms, options->evil_ms) : ms;
    ms = options->stall_enable ? mb_min_i64(ms, options->lag_ms) : ms;
    for (uint32_t i = 0; i < options->often.count; i++) {
        ms = mb_min_i64(ms, options->often.limits[i].ms);
    }
    return ms * MB_NS_PER_MS;
}

/* ---- The table ---- */

const struct mon_option *mon_option_at(size_t index)
{
    return index < MB_COUNT(option_table) ? &option_table[index] : NULL;
}

const struct mon_option *mon_option_find(const char *name)
{
    for (size_t i = 0; i < MB_COUNT(option_table); i++) {
        const struct mon_option *option = &option_table[i];
        if (strcmp(option->name, name) == 0 ||
            (option->matrix_key[0] != '\0' && strcmp(option->matrix_key, name) == 0)) {
            return option;
        }
    }
    return NULL;
}

const char *mon_option_name(const struct mon_option *option)
{
    return option->name;
}

static void put_limits(struct mb_buf *out, const struct mon_limits *limits)
{
    for (uint32_t i = 0; i < limits->count; i++) {
        mb_buf_printf(out, "%s%" PRIu32 "x%" PRIu32, i > 0 ? "," : "", limits->limits[i].ms,
                      limits->limits[i].count);
    }
}

static const char *choice_name(const struct choice *choice, uint32_t value)
{
    while (choice[1].name != NULL && choice->value != value) {
        choice++;
    }
    return choice->name;
}

/* The words of those that are on; of all without options. */
static void put_parts(struct mb_buf *out, const struct mon_options *options)
{
    const char *separator = "";

    for (size_t i = 0; i < MB_COUNT(option_table); i++) {
        const struct mon_option *part = &option_table[i];
        if (part->kind == PART && (options == NULL || *(const bool *)value_of(options, part))) {
            mb_buf_printf(out, "%s%s", separator, part->initial);
            separator = ",";
        }
    }
}

void mon_option_put_value(struct mb_buf *out, const struct mon_option *option,
                          const struct mon_options *options)
{
    const void *place = value_of(options, option);

    switch (option->kind) {
    case NUMBER:
        mb_buf_printf(out, "%" PRId64, *(const int64_t *)place);
        break;
    case SET:
        put_parts(out, options);
        break;
    case PART:
        mb_buf_put_string(out, *(const bool *)place ? "1" : "0");
        break;
    case CHOICE:
        mb_buf_put_string(out, choice_name(option->choices, *(const uint32_t *)place));
        break;
    case TEXT:
        mb_buf_put_string(out, place);
        break;
    case LIMITS:
        put_limits(out, place);
        break;
    }
}

static void put_choices(struct mb_buf *out, const struct choice *choice)
{
    for (size_t i = 0; choice[i].name != NULL; i++) {
        const char *separator = choice[i + 1].name != NULL ? ", " : " or ";
        mb_buf_printf(out, "%s%s", i > 0 ? separator : "", choice[i].name);
    }
}

void mon_option_put_values(struct mb_buf *out, const struct mon_option *option)
{
    switch (option->kind) {
    case NUMBER:
        mb_buf_printf(out, "a number from %" PRId64 " to %" PRId64, option->least, option->most);
        break;
    case SET:
        mb_buf_put_string(out, "some of ");
        put_parts(out, NULL);
        break;
    case PART:
        mb_buf_put_string(out, "1 or 0");
        break;
    case CHOICE:
        put_choices(out, option->choices);
        break;
    case TEXT:
        mb_buf_printf(out, "a text in UTF-8 of at most %zu bytes", option->size - 1);
        break;
    case LIMITS:
        mb_buf_printf(out, "up to %u pairs MSxCOUNT, COUNT up to %u", MON_LIMIT_COUNT,
                      MON_LIMIT_STALLS);
        break;
    }
}
