#include "monitor/options.h"

#include "abi/identity.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum kind { NUMBER, SET, PART, PRESET, TEXT, LIMITS, LIST, ITEM };

struct mon_option {
    const char *name;
    const char *matrix_key;
    const char *initial; /* the default; NULL: those that follow have it */
    const char *word;    /* of a part */
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
#define MON_NUMBER(field, value, from, to, key, help)    \
    {PLACE(field),    .kind = NUMBER, .initial = #value, \
     .least = (from), .most = (to),   .matrix_key = (key)},
#define MON_ITEM(field, value, from, to, key)          \
    {PLACE(field),    .kind = ITEM, .initial = #value, \
     .least = (from), .most = (to), .matrix_key = (key)},
#define MON_LIST(field, help) {.name = #field, .kind = LIST, .matrix_key = ""},
#define MON_SET(field, help) {.name = #field, .kind = SET, .matrix_key = ""},
#define MON_PART(field, text, key) \
    {PLACE(field), .kind = PART, .initial = "1", .matrix_key = (key), .word = (text)},
#define MON_PRESET(field, value, help) \
    {PLACE(field), .kind = PRESET, .initial = (value), .matrix_key = ""},
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

static bool set_number(int64_t *place, const struct mon_option *option, struct mb_text value)
{
    uint64_t number;

    if (!mb_text_to_number(value, (uint64_t)option->most, &number) ||
        (int64_t)number < option->least) {
        return false;
    }
    *place = (int64_t)number;
    return true;
}

static bool set_items(struct mon_options *options, const struct mon_option *list, const char *value)
{
    struct mon_options changed = *options;
    struct mb_text rest = mb_text_of(value);
    const struct mon_option *item = list;

    do {
        item++;
        if (item->kind != ITEM ||
            !set_number(place_of(&changed, item), item, mb_text_split(&rest, ':'))) {
            return false;
        }
    } while (rest.size > 0);
    *options = changed;
    return true;
}

static bool set_part(bool *place, const char *value)
{
    static const char *const words[][2] = {{"0", "1"}, {"false", "true"}, {"off", "on"}};

    for (size_t i = 0; i < 2 * MB_COUNT(words); i++) {
        if (strcmp(words[i / 2][i % 2], value) == 0) {
            *place = i % 2 == 1;
            return true;
        }
    }
    return false;
}

static size_t find_part(struct mb_text word)
{
    size_t i = 0;

    while (i < MB_COUNT(option_table) &&
           (option_table[i].kind != PART || !mb_text_is(word, option_table[i].word))) {
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

static const struct {
    const char *name;
    const char *settings[3][2];
} presets[] = {
    [MON_PRESET_DEVELOPMENT] = {"development",
                                {{"report_share", "10000"}, {"keep", "7"}, {"fps_hitch_ms", "10"}}},
    [MON_PRESET_PRODUCTION] = {"production",
                               {{"report_share", "500"}, {"keep", "7"}, {"fps_hitch_ms", "10"}}},
    [MON_PRESET_MATRIX] = {"matrix",
                           {{"report_share", "10000"}, {"keep", "10"}, {"fps_hitch_ms", "0"}}},
};

static bool set_preset(struct mon_options *options, const char *value)
{
    uint32_t i = 0;

    while (i < MB_COUNT(presets) && strcmp(presets[i].name, value) != 0) {
        i++;
    }
    if (i == MB_COUNT(presets)) {
        return false;
    }
    options->preset = i;
    for (size_t k = 0; k < MB_COUNT(presets[i].settings); k++) {
        (void)mon_options_set(options, presets[i].settings[k][0], presets[i].settings[k][1]);
    }
    return true;
}

static bool set_value(struct mon_options *options, const struct mon_option *option,
                      const char *value)
{
    void *place = place_of(options, option);

    switch (option->kind) {
    case NUMBER:
    case ITEM:
        return set_number(place, option, mb_text_of(value));
    case LIST:
        return set_items(options, option, value);
    case SET:
        return set_parts(options, value);
    case PART:
        return set_part(place, value);
    case PRESET:
        return set_preset(options, value);
    case TEXT:
        return set_text(place, option, value);
    case LIMITS:
        return set_limits(place, value);
    }
    return false;
}

bool mon_options_set(struct mon_options *options, const char *name, const char *value)
{
    const struct mon_option *option = mon_option_find(name);

    return option != NULL && set_value(options, option, value);
}

void mon_options_init(struct mon_options *options)
{
    memset(options, 0, sizeof(*options));
    for (size_t i = 0; i < MB_COUNT(option_table); i++) {
        if (option_table[i].initial != NULL) {
            (void)set_value(options, &option_table[i], option_table[i].initial);
        }
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
        if ((option->kind != ITEM && strcmp(option->name, name) == 0) ||
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

/* The words of those that are on; of all without options. */
static void put_parts(struct mb_buf *out, const struct mon_options *options)
{
    const char *separator = "";

    for (size_t i = 0; i < MB_COUNT(option_table); i++) {
        const struct mon_option *part = &option_table[i];
        if (part->kind == PART && (options == NULL || *(const bool *)value_of(options, part))) {
            mb_buf_printf(out, "%s%s", separator, part->word);
            separator = ",";
        }
    }
}

/* Their values; without options those that they take. */
static void put_items(struct mb_buf *out, const struct mon_option *list,
                      const struct mon_options *options)
{
    for (const struct mon_option *item = list + 1; item->kind == ITEM; item++) {
        const char *separator = item == list + 1 ? "" : options != NULL ? ":" : ", ";
        mb_buf_put_string(out, separator);
        if (options != NULL) {
            mon_option_put_value(out, item, options);
        } else {
            mb_buf_printf(out, "%" PRId64 " to %" PRId64, item->least, item->most);
        }
    }
}

void mon_option_put_value(struct mb_buf *out, const struct mon_option *option,
                          const struct mon_options *options)
{
    const void *place = value_of(options, option);

    switch (option->kind) {
    case NUMBER:
    case ITEM:
        mb_buf_printf(out, "%" PRId64, *(const int64_t *)place);
        break;
    case LIST:
        put_items(out, option, options);
        break;
    case SET:
        put_parts(out, options);
        break;
    case PART:
        mb_buf_put_string(out, *(const bool *)place ? "1" : "0");
        break;
    case PRESET:
        mb_buf_put_string(out, presets[options->preset].name);
        break;
    case TEXT:
        mb_buf_put_string(out, place);
        break;
    case LIMITS:
        put_limits(out, place);
        break;
    }
}

void mon_option_put_values(struct mb_buf *out, const struct mon_option *option)
{
    switch (option->kind) {
    case NUMBER:
    case ITEM:
        mb_buf_printf(out, "a number from %" PRId64 " to %" PRId64, option->least, option->most);
        break;
    case LIST:
        mb_buf_put_string(out, "numbers with colons, the first or all: ");
        put_items(out, option, NULL);
        break;
    case SET:
        mb_buf_put_string(out, "some of ");
        put_parts(out, NULL);
        break;
    case PART:
        mb_buf_put_string(out, "1 or 0");
        break;
    case PRESET:
        mb_buf_printf(out, "%s, %s or %s", presets[0].name, presets[1].name, presets[2].name);
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
