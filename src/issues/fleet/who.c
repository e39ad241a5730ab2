#include "issues/fleet/who.h"

#include "abi/identity.h"
#include "abi/issue.h"

#include <stdio.h>

#define SCHEMA 1
#define ALL_SHARES 10000 /* as report_share has it */

bool fleet_is_understood(const struct mb_value *object)
{
    const struct mb_value *schema = mb_value_get(object, ABI_OWN_SCHEMA);

    return schema == NULL ||
           (mb_value_is(schema, MB_JSON_INTEGER) && mb_value_integer(schema) == SCHEMA);
}

static void take_weight(const struct fleet_columns *columns, const struct mb_value *app)
{
    const struct mb_value *share = mb_value_get(app, "share");
    int64_t of_all = mb_value_integer(share);

    if (share == NULL) {
        return;
    }
    if (of_all < 1 || of_all > ALL_SHARES) {
        columns->refused[FLEET_OUT_OF_RANGE]++;
        return;
    }
    fleet_put_real(columns->row, "weight", (double)ALL_SHARES / (double)of_all);
}

/* Members that no column has. */
static void take_strata(const struct fleet_columns *columns, const struct mb_value *app)
{
    char name[ABI_STRATUM_NAME + 1];
    unsigned count = 0;

    for (MB_EACH_VALUE(member, app)) {
        if (!mb_value_is(member, MB_JSON_STRING) || !abi_identity_is_stratum(member->key)) {
            continue;
        }
        (void)snprintf(name, sizeof(name), "%.*s", (int)member->key.size, member->key.data);
        if (mb_value_get(app, name) != member) {
            continue; /* a name has one value */
        }
        if (count++ == 0) {
            mb_json_open(columns->row, "strata", "{");
        }
        if (count <= ABI_STRATUM_MOST) {
            fleet_take_cut(columns, name, member->text);
        }
    }
    if (count > 0) {
        mb_json_close(columns->row, "}");
    }
}

void fleet_take_class(const struct fleet_columns *columns, const struct mb_value *app,
                      const struct mb_value *object)
{
    bool is_told = mb_value_get(app, "class") != NULL;

    fleet_take_text(columns, "device_class", is_told ? app : object,
                    is_told ? "class" : ABI_ISSUE_MACHINE);
}

void fleet_take_app(const struct fleet_columns *columns, const struct mb_value *app)
{
    static const struct {
        const char *column;
        const char *member;
        void (*take)(const struct fleet_columns *columns, const char *column,
                     const struct mb_value *object, const char *member);
    } rows[] = {
        {"app", "id", fleet_take_text},
        {"app_version", "version", fleet_take_text},
        {"app_code", "code", fleet_take_number},
        {"channel", "channel", fleet_take_text},
        {"build", "build", fleet_take_text},
        {"device", "device", fleet_take_text},
        {"session", "session", fleet_take_text},
        {"maker", "maker", fleet_take_text},
        {"model", "model", fleet_take_text},
        {"os", "os", fleet_take_text},
        {"os_level", "os_level", fleet_take_level},
        {"abi", "abi", fleet_take_text},
        {"cores", "cores", fleet_take_number},
        {"memory", "memory", fleet_take_number},
    };

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        rows[i].take(columns, rows[i].column, app, rows[i].member);
    }
    fleet_take_cut(columns, "app_release", mb_value_text(mb_value_get(app, "version")));
    take_weight(columns, app);
    take_strata(columns, app);
}
