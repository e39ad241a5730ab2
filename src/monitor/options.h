/* The settings of all monitors, from one table (monitor/options.def). */

#ifndef MONITOR_OPTIONS_H
#define MONITOR_OPTIONS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mon_preset { MON_PRESET_DEVELOPMENT, MON_PRESET_PRODUCTION, MON_PRESET_MATRIX };

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
#define MON_PART(name, ...) bool name;
#define MON_ITEM(name, ...) int64_t name;
#define MON_PRESET(name, ...) uint32_t name;
#define MON_TEXT(name, size, ...) char name[size];
#define MON_LIMITS(name, ...) struct mon_limits name;
#define MON_FIXED(name, value) int64_t name;
#include "monitor/options.def"
};

#define MON_ALL_DEVICES 10000 /* of report_share */

/* The defaults. */
void mon_options_init(struct mon_options *options);

/* Set an option, by its name or by Matrix's key, from text. False, and nothing changes, if the name
 * is unknown or the value invalid. preset sets several options; later settings override them. */
bool mon_options_set(struct mon_options *options, const char *name, const char *value);

/* The shortest message that interests a rule. */
int64_t mon_options_slow_ns(const struct mon_options *options);

/* ---- The table ---- */

struct mon_option; /* a row */

/* NULL after the last. */
const struct mon_option *mon_option_at(size_t index);
/* By name or Matrix's key; NULL if absent. */
const struct mon_option *mon_option_find(const char *name);

const char *mon_option_name(const struct mon_option *option);

/* Append the value as mon_options_set reads it. */
void mon_option_put_value(struct mb_buf *out, const struct mon_option *option,
                          const struct mon_options *options);

/* Append which values it takes: "a number from 1 to 600000". */
void mon_option_put_values(struct mb_buf *out, const struct mon_option *option);

#endif
