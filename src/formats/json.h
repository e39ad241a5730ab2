/* Inside the JSON: what its two sources share. */

#ifndef FORMATS_JSON_H
#define FORMATS_JSON_H

#include "answer/facts.h"
#include "base/json.h"

static inline void format_json_put_name(struct mb_json *json, const char *key,
                                        const struct answer_names *names, uint32_t id)
{
    mb_json_key(json, key);
    answer_put_json_name(json->out, names, id);
}

static inline void format_json_put_id(struct mb_json *json, const struct answer_names *names,
                                      uint32_t id)
{
    mb_json_count(json, "id", id);
    format_json_put_name(json, "name", names, id);
}

/* On a line of its own, as all rows of a list. */
static inline void format_json_open_row(struct mb_json *json)
{
    mb_json_break(json, "\n");
    mb_json_open(json, NULL, "{");
}

static inline void format_json_open_list(struct mb_json *json, const char *key)
{
    mb_json_break(json, "\n");
    mb_json_open(json, key, "[");
}

/* Against the old trace, and all that the text says in sentences, old NULL: of this trace alone
 * (json_findings.c). */
void format_json_put_diff(const struct answer_facts *old, const struct answer_facts *new,
                          struct mb_json *json);
void format_json_put_findings(const struct answer_facts *facts, const struct answer_facts *old,
                              struct mb_json *json);

#endif
