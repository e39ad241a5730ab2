/* methodbeat fleet load */

#include "cli/cli.h"
#include "cli/fleet.h"
#include "cli/options.h"
#include "fleet/load.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#define PLACE(field) .offset = offsetof(struct fleet_load, field)

static const struct cli_option load_options[] = {
    {.name = "into", .take = cli_take_text, PLACE(into)},
    {.name = "engine-command", .take = cli_take_text, PLACE(engine)},
    {.name = NULL},
};

static void print_loaded(const struct fleet_loaded *loaded)
{
    (void)printf("%" PRIu64 " uploads", loaded->uploads);
    if (loaded->known > 0) {
        (void)printf(", and %" PRIu64 " that were loaded before", loaded->known);
    }
    if (loaded->aside > 0) {
        (void)printf(", and %" PRIu64 " set aside", loaded->aside);
    }
    (void)puts("");
    for (size_t i = 0; i < FLEET_TABLE_COUNT && loaded->uploads > 0; i++) {
        uint64_t doubles = loaded->rows[i] - loaded->kept[i];
        if (loaded->rows[i] == 0) {
            continue;
        }
        (void)printf("%12" PRIu64 " %s", loaded->kept[i], fleet_schemas[i].name);
        if (doubles > 0 && doubles <= loaded->rows[i]) {
            (void)printf(" (%" PRIu64 " more that were there)", doubles);
        }
        (void)puts("");
    }
    for (size_t i = 0; i < FLEET_DOUBT_COUNT; i++) {
        if (loaded->doubts[i] > 0) {
            (void)printf("%12" PRIu64 " %s, left out\n", loaded->doubts[i], fleet_doubt_words[i]);
        }
    }
}

int cli_fleet_load(int argc, char **argv)
{
    struct fleet_load load = {.warn = cli_print_warning};
    const struct cli_parser reader = {.command = "fleet load",
                                      .options = load_options,
                                      .values = &load,
                                      .operand = "a folder of uploads"};
    struct fleet_loaded loaded = {0};
    struct mb_error err = {.status = MB_OK};
    int code = cli_take_options(&reader, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    load.folder = argv[optind];
    if (load.folder == NULL || load.into == NULL) {
        return cli_fail_usage("fleet load", "a folder of uploads and --into LAKE are needed");
    }
    if (fleet_load_run(&load, &loaded, &err) != MB_OK) {
        return cli_fail(&err);
    }
    print_loaded(&loaded);
    return CLI_DONE;
}
