/* The settings of all monitors, from one table (monitor/options.def). */

#ifndef MONITOR_OPTIONS_H
#define MONITOR_OPTIONS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MON_CHOICES_PRESET(CHOICE)            \
    CHOICE(PRESET_DEVELOPMENT, "development") \
    CHOICE(PRESET_PRODUCTION, "production")   \
    CHOICE(PRESET_MATRIX, "matrix")
#define MON_CHOICES_REPORT(CHOICE)    \
    CHOICE(REPORT_SAMPLED, "sampled") \
    CHOICE(REPORT_ALWAYS, "always")   \
    CHOICE(REPORT_NEVER, "never")

#define MON_CHOICES_FPS_REPORT(CHOICE) \
    CHOICE(FPS_REPORT_BAD, "bad")      \
    CHOICE(FPS_REPORT_ALWAYS, "always")

#define MON_ENUMERATOR(NAME, text) MON_##NAME,
enum mon_preset { MON_CHOICES_PRESET(MON_ENUMERATOR) };
enum mon_report { MON_CHOICES_REPORT(MON_ENUMERATOR) };
enum mon_fps_report { MON_CHOICES_FPS_REPORT(MON_ENUMERATOR) };
#undef MON_ENUMERATOR

/* count stalls of at least ms. */
struct mon_limit {
    uint32_t ms;
    uint32_t count;
};

#define MON_LIMIT_COUNT 4u
#define MON_LIMIT_STALLS 16u /* the greatest count */

struct mon_limits {
    uint32_t count;
    struct mon_limit limits[MON_LIMIT_COUNT];
};

struct mon_options {
#define MON_NUMBER(name, ...) int64_t name;
#define MON_SWITCH(name, ...) bool name;
#define MON_CHOICE(name, ...) uint32_t name;
#define MON_TEXT(name, size, ...) char name[size];
#define MON_LIMITS(name, ...) struct mon_limits name;
#define MON_FIXED(name, value) int64_t name;
#define MON_GONE(name, instead)
#include "monitor/options.def"
#undef MON_NUMBER
#undef MON_SWITCH
#undef MON_CHOICE
#undef MON_TEXT
#undef MON_LIMITS
#undef MON_FIXED
#undef MON_GONE
};

#define MON_NS_PER_MS INT64_C(1000000)

/* The defaults. */
void mon_options_init(struct mon_options *options);

/* Set one option, by its name or by Matrix's key, from text. False, and nothing is changed, if
 * no such option exists or it takes no such value. preset sets several; those set later win. */
bool mon_options_set(struct mon_options *options, const char *name, const char *value);

/* What a loop thread need not tell: messages that are shorter interest no rule. */
int64_t mon_options_slow_ns(const struct mon_options *options);

/* ---- The table ---- */

struct mon_option; /* a row */

/* NULL behind the last. */
const struct mon_option *mon_option_at(size_t index);
/* By name or Matrix's key; NULL if absent. */
const struct mon_option *mon_option_find(const char *name);

/* What to do instead of a setting of earlier versions, by its name or Matrix's key; NULL for other
 * names. */
const char *mon_option_gone(const char *name);

const char *mon_option_name(const struct mon_option *option);
const char *mon_option_help(const struct mon_option *option);
const char *mon_option_matrix_key(const struct mon_option *option); /* "": none */

/* METHODBEAT_EVIL_MS, methodbeat.evil_ms. Terminated; every name fits. */
#define MON_OPTION_NAME_SIZE 48u
void mon_option_variable(const struct mon_option *option, char name[MON_OPTION_NAME_SIZE]);
void mon_option_property(const struct mon_option *option, char name[MON_OPTION_NAME_SIZE]);

/* Append the value as mon_options_set reads it. */
void mon_option_put_value(struct mb_buf *out, const struct mon_option *option,
                          const struct mon_options *options);

/* Append which values it takes: "a number from 1 to 600000". */
void mon_option_put_values(struct mb_buf *out, const struct mon_option *option);

/* Append the list of all options as the manual page has it (mdoc). */
void mon_options_put_manual(struct mb_buf *out);

#endif
