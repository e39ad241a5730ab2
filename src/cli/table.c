/* The options of all subcommands: what each is called, which subcommands have it, how its argument
 * is read, and to where. */

#include "cli/cli.h"
#include "cli/parts.h"
#include "cli/values.h"

#include <limits.h>
#include <string.h>

#define SECONDS_A_DAY 86400
#define MOST_SECONDS 31536000
#define MOST_SECONDS_AGO 86400000000
#define MOST_THRESHOLD_MS 1000000000

static const struct cli_choice compressions[] = {{"store", AR_COMPRESSION_STORE},
                                                 {"fast", AR_COMPRESSION_FAST},
                                                 {"best", AR_COMPRESSION_BEST},
                                                 {NULL, 0}};
static const struct cli_choice profiles[] = {
    {"default", RULE_PROFILE_DEFAULT}, {"matrix", RULE_PROFILE_MATRIX}, {NULL, 0}};
static const struct cli_choice exception_modes[] = {{"catch", WEAVE_EXCEPTIONS_CATCH},
                                                    {"finally", WEAVE_EXCEPTIONS_FINALLY},
                                                    {"returns", WEAVE_EXCEPTIONS_RETURNS},
                                                    {"matrix", WEAVE_EXCEPTIONS_MATRIX},
                                                    {NULL, 0}};
static const struct cli_choice forms[] = {{"text", false}, {"json", true}, {NULL, 0}};
static const struct cli_choice weights[] = {{"ns", FORMAT_WEIGHT_NS},
                                            {"awake", FORMAT_WEIGHT_AWAKE},
                                            {"cpu", FORMAT_WEIGHT_CPU},
                                            {"calls", FORMAT_WEIGHT_CALLS},
                                            {NULL, 0}};
static const struct cli_choice groupings[] = {
    {"key", ISSUES_BY_KEY}, {"detail", ISSUES_BY_DETAIL}, {"scene", ISSUES_BY_SCENE},
    {"app", ISSUES_BY_APP}, {"day", ISSUES_BY_DAY},       {NULL, 0}};
static const struct cli_choice fps_sources[] = {{"auto", FPS_NONE},
                                                {"latency", FPS_LATENCY},
                                                {"timestats", FPS_TIMESTATS},
                                                {"gfxinfo", FPS_GFXINFO},
                                                {NULL, 0}};
static const struct cli_choice fps_formats[] = {
    {"text", FPS_TEXT}, {"csv", FPS_CSV}, {"json", FPS_JSON}, {NULL, 0}};

#ifndef MB_ONLY_COMMAND
static const struct cli_choice children[] = {
    {"on", CLI_CHILDREN_ON}, {"off", CLI_CHILDREN_OFF}, {NULL, 0}};

static int cli_take_sort(const struct cli_parser *parser, const struct cli_option *option,
                         void *place, const char *argument)
{
    const struct live_sort **sort = place;
    char names[128] = "";

    for (size_t i = 0; i < live_sort_count; i++) {
        if (strcmp(argument, live_sorts[i].name) == 0) {
            *sort = &live_sorts[i];
            return CLI_DONE;
        }
        cli_put_alternative(names, sizeof(names), live_sorts[i].name, i + 1 == live_sort_count);
    }
    return cli_refuse(parser, option, argument, names);
}
#endif

static int cli_take_issues_format(const struct cli_parser *parser, const struct cli_option *option,
                                  void *place, const char *argument)
{
    char list[64] = "";

    for (size_t i = 0; issues_format_at(i) != NULL; i++) {
        const struct issues_format *format = issues_format_at(i);
        if (strcmp(format->name, argument) == 0) {
            *(const struct issues_format **)place = format;
            return CLI_DONE;
        }
        cli_put_alternative(list, sizeof(list), format->name, issues_format_at(i + 1) == NULL);
    }
    return cli_refuse(parser, option, argument, list);
}

#define ROW(option, subcommands, kind, ...)                                               \
    {                                                                                     \
        .name = (option), .commands = (subcommands), .take = cli_take_##kind, __VA_ARGS__ \
    }
#define PLACE(field) .offset = offsetof(struct cli_values, field)
#define FROM(first, last) .least = (first), .most = (last)

const struct cli_option cli_options[] = {
    ROW("output", "instrument", text, PLACE(build.run.output_dir), .letter = 'o'),
    ROW("output", "collect number", text, PLACE(build.run.method_map), .letter = 'o'),
    ROW("output-jar", "instrument", text, PLACE(build.run.output_jar)),
    ROW("keep-resources", "instrument", flag, PLACE(build.run.keep_resources)),
    ROW("compression", "instrument", choice, PLACE(build.run.compression), .choices = compressions),
    ROW("method-map", "instrument", text, PLACE(build.run.method_map)),
    ROW("ignore-map", "instrument", text, PLACE(build.run.ignore_map)),
    ROW("explain", "instrument", text, PLACE(build.run.explain)),
    ROW("json", "instrument", text, PLACE(build.run.json)),
    ROW("rules", "instrument collect", choice, PLACE(build.run.profile), .choices = profiles),
    ROW("blacklist", "instrument collect", item, PLACE(build.run.blacklists)),
    ROW("no-default-blacklist", "instrument collect", flag, PLACE(build.run.no_default_blacklist)),
    ROW("trace-huge", "instrument", flag, PLACE(build.run.grows_huge)),
    ROW("mapping", "instrument", text, PLACE(build.run.mapping)),
    ROW("exceptions", "instrument collect", choice, PLACE(build.exceptions),
        .choices = exception_modes),
    ROW("beat-class", "instrument collect", name, PLACE(build.run.beat_class)),
    ROW("classpath", "instrument number", paths, PLACE(build.run.classpath)),
    ROW("activity", "instrument number", names, PLACE(build.run.activities)),
    ROW("base-method-map", "instrument", text, PLACE(build.run.base_map)),
    ROW("state", "instrument", text, PLACE(build.run.state)),
    ROW("ids", "instrument", text, PLACE(build.run.ids)),
    ROW("slices", "number", text, PLACE(build.run.slices)),
    ROW("ledger", "number", text, PLACE(build.run.ledger)),
    ROW("strict", "instrument", flag, PLACE(build.run.strict)),
    ROW("jobs", "instrument", number, PLACE(build.jobs), .letter = 'j', FROM(1, CLI_MOST_JOBS)),
    ROW("quiet", "instrument", flag, PLACE(build.is_quiet), .letter = 'q'),

#ifndef MB_ONLY_COMMAND
    ROW("sample", "run attach", choice, PLACE(probes.sample), .choices = cli_sample_choices,
        .otherwise = CLI_SAMPLE_ALONE),
    ROW("focus", "run attach top", text, PLACE(probes.focus)),
    ROW("blacklist", "run attach top", text, PLACE(probes.blacklist)),
    ROW("only", "run", text, PLACE(probes.only)),
    ROW("children", "run", choice, PLACE(children), .choices = children),
    ROW("agent", "run attach top", text, PLACE(agent)),
    ROW("for", "run attach", seconds, PLACE(seconds), FROM(1, SECONDS_A_DAY)),
    ROW("for", "top", seconds, PLACE(seconds), FROM(1, MOST_SECONDS)),
    ROW("trace", "run attach", text, PLACE(trace)),
    ROW("leave", "attach", flag, PLACE(leaves)),
    ROW("timeout", "attach", seconds, PLACE(timeout_s), FROM(1, SECONDS_A_DAY)),
    ROW("timeout", "control", number, PLACE(timeout_ms), FROM(1, INT_MAX)),
    ROW("pid", "control", number, PLACE(process_id), FROM(1, INT_MAX)),
    ROW("interval", "top", number, PLACE(interval_ms), FROM(100, 3600000)),
    ROW("count", "top", number, PLACE(tables), FROM(1, INT32_MAX)),
    ROW("sort", "top", sort, PLACE(sort)),
#endif

    ROW("method-map", "report top tune issues", map, PLACE(source.map)),
    ROW("method-map", "records symbolize", text, PLACE(source.map.file)),
    ROW("mapping", "report top records issues symbolize", text, PLACE(source.mapping)),
    ROW("force", "report", flag, PLACE(source.force)),
    ROW("format", "run attach report", format, PLACE(report.format)),
    ROW("format", "jvms records", choice, PLACE(is_json), .choices = forms),
    ROW("format", "issues", issues_format, PLACE(issues_format)),
    ROW("format", "fps", choice, PLACE(fps.format), .choices = fps_formats),
    ROW("output", "run attach report", text, PLACE(report.output), .letter = 'o'),
    ROW("open", "run attach report", flag, PLACE(report.opens)),
    ROW("threshold", "report", number, PLACE(detail.threshold_ms), FROM(0, MOST_THRESHOLD_MS)),
    ROW("issues", "report", text, PLACE(detail.issues)),
    ROW("weight", "report", choice, PLACE(detail.weight), .choices = weights),
    ROW("thread", "report records", text, PLACE(thread)),
    ROW("mark", "report", text, PLACE(detail.mark)),
    ROW("top", "report issues", number, PLACE(top), FROM(0, INT32_MAX)),
    ROW("top", "top", number, PLACE(top), FROM(1, INT32_MAX)),
    ROW("max-stacks", "report", number, PLACE(detail.most_stacks), FROM(1, INT32_MAX)),
    ROW("threads", "report top", flag, PLACE(has_threads)),
    ROW("stacks", "report", flag, PLACE(detail.with_stacks)),
    ROW("muted", "report", flag, PLACE(detail.with_muted)),
    ROW("trust", "report", flag, PLACE(detail.with_trust)),
    ROW("size", "report", flag, PLACE(detail.tells_size)),
    ROW("diff", "report", text, PLACE(detail.old_path)),
    ROW("fail-above", "report", percent, PLACE(detail.fail_above), FROM(0, 100000)),
    ROW("overhead", "tune", percent, PLACE(percent), FROM(0, 1000)),
    ROW("wide", "report issues", flag, PLACE(is_wide)),
    ROW("color", "report issues fps", choice, PLACE(colour), .choices = cli_colours),

    ROW("group", "issues", choice, PLACE(grouping), .choices = groupings),
    ROW("detail", "issues", text, PLACE(details)),
    ROW("since", "issues", seconds, PLACE(seconds), FROM(1, MOST_SECONDS_AGO)),
    ROW("strict", "issues", flag, PLACE(is_strict)),

    ROW("package", "fps", text, PLACE(fps.package), .letter = 'p'),
    ROW("layer", "fps", text, PLACE(fps.layer)),
    ROW("serial", "fps", text, PLACE(fps.serial), .letter = 's'),
    ROW("source", "fps", choice, PLACE(fps.source), .choices = fps_sources),
    ROW("duration", "fps", number, PLACE(fps.duration_s), FROM(1, SECONDS_A_DAY)),
    ROW("interval", "fps", number, PLACE(fps.interval_ms), FROM(50, 60000)),
    ROW("save", "fps", text, PLACE(fps.save)),
    {.name = NULL},
};
