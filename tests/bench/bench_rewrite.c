/* How fast classes are parsed, planned and rewritten in memory: one thread, no files, each step
 * includes the ones before it.
 *
 * usage: bench_rewrite [--repeats=N] [--step=parse|plan|rewrite] JAR...
 * prints a JSON object; rates are in MB (10^6 bytes) of class bytes a second. For callgrind, run
 * one step once with --toggle-collect="run_step*". */

#include "classes.h"
#include "classfile/edit.h"
#include "instrument/weave/rewrite.h"
#include "rules/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEFAULT_REPEATS = 15, MAX_REPEATS = 1000 };

struct bench {
    struct bench_classes input;

    struct rule_set *rules;
    struct weave_rewriter *rewriter;
    struct mb_arena arena; /* reset for each class, as are those below */
    struct mb_buf out;
    struct cf_scan scan;
    uint32_t ids[UINT16_MAX];

    uint32_t last_id;
    uint64_t failed_classes; /* the last three are counted by one run of a step */
    uint64_t probed_methods;
    uint64_t out_bytes;
};

static const struct mb_text beat_class = MB_TEXT_ROW("methodbeat/MethodBeat");

/* ---- steps ---- */

static bool parse_class(struct bench *bench, const struct bench_class *loaded, struct cf_class *cls)
{
    mb_arena_reset(&bench->arena);
    return cf_class_parse(cls, &bench->arena, loaded->bytes, loaded->size, NULL) == MB_OK;
}

static bool parse_step(struct bench *bench, const struct bench_class *loaded)
{
    struct cf_class cls;

    if (!parse_class(bench, loaded, &cls)) {
        return false;
    }
    for (size_t i = 0; i < cls.method_count; i++) {
        struct cf_code code;

        if (cls.methods[i].code != 0 &&
            cf_code_parse(&code, &cls, &cls.methods[i], NULL) != MB_OK) {
            return false;
        }
    }
    return true;
}

/* Give ids to the methods that the rules choose; code is filled for a traced one. */
static uint32_t decide(struct bench *bench, const struct rule_class *by, const struct cf_class *cls,
                       const struct cf_member *method, struct cf_code *code)
{
    struct rule_method_input input = {.member = method,
                                      .name = cf_member_name(cls, method),
                                      .descriptor = cf_member_descriptor(cls, method)};

    if (method->code != 0 && cf_code_parse(code, cls, method, NULL) == MB_OK) {
        input.code = code;
    }
    return rule_decide_method(by, &input).verdict == RULE_TRACE ? ++bench->last_id : 0;
}

static bool plan_class(struct bench *bench, const struct bench_class *loaded, struct cf_class *cls,
                       bool scans)
{
    struct rule_class by;

    if (!parse_class(bench, loaded, cls)) {
        return false;
    }
    by =
        rule_decide_class(bench->rules, &(struct rule_class_input){.cls = cls,
                                                                   .entry_name = loaded->entry_name,
                                                                   .original_name = cls->name});
    for (size_t i = 0; i < cls->method_count; i++) {
        struct cf_code code;

        bench->ids[i] = decide(bench, &by, cls, &cls->methods[i], &code);
        if (scans && bench->ids[i] != 0 && cf_scan_code(&bench->scan, &code, NULL) != MB_OK) {
            return false;
        }
    }
    return true;
}

static bool plan_step(struct bench *bench, const struct bench_class *loaded)
{
    struct cf_class cls;

    return plan_class(bench, loaded, &cls, true);
}

static bool rewrite_step(struct bench *bench, const struct bench_class *loaded)
{
    struct cf_class cls;
    struct weave_result result;
    struct weave_request request = {.cls = &cls, .ids = bench->ids, .focus = WEAVE_FOCUS_NONE};

    mb_buf_reset(&bench->out);
    if (!plan_class(bench, loaded, &cls, false) ||
        weave_rewrite(bench->rewriter, &request, &bench->out, &result, NULL) != MB_OK) {
        return false;
    }
    bench->probed_methods += result.probed_count;
    bench->out_bytes += result.is_changed ? bench->out.size : loaded->size;
    return true;
}

static const struct step {
    const char *name;
    bool (*run)(struct bench *bench, const struct bench_class *loaded);
} steps[] = {{"parse", parse_step}, {"plan", plan_step}, {"rewrite", rewrite_step}};

/* Not inlined: callgrind finds it by name. */
static MB_NOINLINE void run_step(struct bench *bench, const struct step *step)
{
    bench->last_id = 0;
    bench->failed_classes = 0;
    bench->probed_methods = 0;
    bench->out_bytes = 0;
    for (size_t i = 0; i < bench->input.count; i++) {
        bench->failed_classes += !step->run(bench, &bench->input.rows[i]);
    }
}

/* ---- figures ---- */

static double seconds_of(struct bench *bench, const struct step *step)
{
    struct timespec start;
    struct timespec end;

    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    run_step(bench, step);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

static int compare_seconds(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;

    return (difference > 0) - (difference < 0);
}

static void print_rates(struct bench *bench, const struct step *step, size_t repeats)
{
    double seconds[MAX_REPEATS];
    double megabytes = 1e-6 * (double)bench->input.bytes;

    for (size_t i = 0; i < repeats; i++) {
        seconds[i] = seconds_of(bench, step);
    }
    qsort(seconds, repeats, sizeof(seconds[0]), compare_seconds);
    printf("\"%s\": {\"median\": %.1f, \"best\": %.1f, \"failed_classes\": %llu}", step->name,
           megabytes / seconds[repeats / 2], megabytes / seconds[0],
           (unsigned long long)bench->failed_classes);
}

static void print_all(struct bench *bench, const char *only, size_t repeats)
{
    const char *separator = "";

    printf("{\"classes\": %zu, \"class_bytes\": %llu, \"steps\": {", bench->input.count,
           (unsigned long long)bench->input.bytes);
    for (size_t i = 0; i < MB_COUNT(steps); i++) {
        if (only == NULL || strcmp(steps[i].name, only) == 0) {
            fputs(separator, stdout);
            print_rates(bench, &steps[i], repeats);
            separator = ", ";
        }
    }
    printf("}, \"probed_methods\": %llu, \"out_bytes\": %llu}\n",
           (unsigned long long)bench->probed_methods, (unsigned long long)bench->out_bytes);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    const char *only = NULL;
    size_t repeats = DEFAULT_REPEATS;
    struct mb_error err;

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--step=", 7) == 0) {
            only = argv[i] + 7;
        } else if (strncmp(argv[i], "--repeats=", 10) == 0) {
            repeats = strtoul(argv[i] + 10, NULL, 10);
        } else {
            bench_load_jar(&bench.input, argv[i]);
        }
    }
    if (bench.input.count == 0 || repeats - 1 >= MAX_REPEATS) {
        fputs("usage: bench_rewrite [--repeats=N] [--step=STEP] JAR...\n", stderr);
        return 2;
    }
    if (rule_set_create(&bench.rules, &(struct rule_options){.beat_class = beat_class}, &err) !=
        MB_OK) {
        bench_stop(&err);
    }
    bench.rewriter = weave_rewriter_create(
        &(struct weave_beat){.class_name = beat_class, .exceptions = WEAVE_EXCEPTIONS_FINALLY});
    if (bench.rewriter == NULL) {
        bench_stop_without_memory();
    }
    print_all(&bench, only, repeats);
    weave_rewriter_destroy(bench.rewriter);
    rule_set_destroy(bench.rules);
    mb_buf_finish(&bench.out);
    mb_arena_finish(&bench.arena);
    bench_classes_finish(&bench.input);
    return 0;
}
