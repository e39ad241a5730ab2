/* Recorded cases of upstream's decoder: one JSON object a line, plain or gzip.
 * usage: run_vectors FILE...
 * src/trace decodes them: its invariants must hold and, where the words are sound, the answers must
 * be upstream's. */

#include "abi/names.h"
#include "abi/record.h"
#include "trace/trace.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LINE_MAX_SIZE (64u << 20)

struct vector {
    json_t *json;
    const char *name;
    uint64_t *words;
    size_t word_count;
    bool strict;
    int64_t end_time;
};

struct answer {
    struct trace_stack stack;
    struct trace_item trimmed[TRACE_TRIMMED_MAX];
    size_t trimmed_count;
    int64_t cost;
    uint32_t key;
};

struct counts {
    unsigned passed;
    unsigned failed;
    unsigned differ; /* other answers than upstream's, on purpose */
};

static int64_t integer(const struct vector *vector, const char *field)
{
    return json_integer_value(json_object_get(vector->json, field));
}

static bool read_words(struct vector *vector)
{
    const json_t *array = json_object_get(vector->json, "words");

    vector->word_count = json_array_size(array);
    vector->words = calloc(vector->word_count + 1, sizeof(*vector->words));
    for (size_t i = 0; vector->words != NULL && i < vector->word_count; i++) {
        const char *word = json_string_value(json_array_get(array, i));
        if (word == NULL) {
            return false;
        }
        vector->words[i] = strtoull(word, NULL, 16);
    }
    return vector->words != NULL && json_is_array(array);
}

static bool read_vector(struct vector *vector, const char *line)
{
    vector->json = json_loads(line, 0, NULL);
    if (vector->json == NULL || !read_words(vector)) {
        return false;
    }
    vector->name = json_string_value(json_object_get(vector->json, "name"));
    vector->strict = json_is_true(json_object_get(vector->json, "strict"));
    vector->end_time = integer(vector, "endTime") - integer(vector, "diffTime");
    return vector->name != NULL;
}

static bool is_item(const json_t *json, const struct trace_item *item)
{
    return json_integer_value(json_array_get(json, 0)) == item->depth &&
           json_integer_value(json_array_get(json, 1)) == item->id &&
           json_integer_value(json_array_get(json, 2)) == item->count &&
           json_integer_value(json_array_get(json, 3)) == item->duration;
}

static bool are_items(const struct vector *vector, const char *field,
                      const struct trace_item *items, size_t count)
{
    const json_t *array = json_object_get(vector->json, field);
    bool same = json_array_size(array) == count;

    for (size_t i = 0; same && i < count; i++) {
        same = is_item(json_array_get(array, i), &items[i]);
    }
    return same;
}

static bool is_key(const struct vector *vector, uint32_t key)
{
    char text[16] = "";

    if (key != TRACE_NO_KEY) {
        (void)snprintf(text, sizeof(text), "%u|", key);
    }
    const char *expected = json_string_value(json_object_get(vector->json, "key"));
    return expected != NULL && strcmp(text, expected) == 0;
}

/* Where strict decoding starts. */
static size_t first_message(const struct vector *vector)
{
    size_t i = 0;

    while (i < vector->word_count && (!abi_record_is_enter(vector->words[i]) ||
                                      abi_record_id(vector->words[i]) != ABI_MESSAGE_ID)) {
        i++;
    }
    return i;
}

static bool decode_stack(const struct vector *vector, struct trace_stack *stack)
{
    static struct trace_decoder decoder; /* one for all: also tests its reuse */
    size_t first = vector->strict ? first_message(vector) : 0;
    const struct trace_run run = {vector->words + first, vector->word_count - first};
    const struct trace_options options = {.close_open = vector->strict,
                                          .end_time = vector->end_time};

    return trace_decode(&decoder, &run, 1, &options, stack, NULL) == MB_OK;
}

/* The longest duration, at least 0. */
static int64_t cost_of(const struct trace_item *items, size_t count)
{
    int64_t cost = 0;

    for (size_t i = 0; i < count; i++) {
        cost = items[i].duration > cost ? items[i].duration : cost;
    }
    return cost;
}

static bool decode(const struct vector *vector, struct answer *answer)
{
    const struct trace_stack *stack = &answer->stack;

    if (!decode_stack(vector, &answer->stack)) {
        return false;
    }
    answer->trimmed_count = trace_trim(stack->items, stack->count, 1.0, answer->trimmed);
    answer->cost = cost_of(answer->trimmed, answer->trimmed_count);
    int64_t message_cost = integer(vector, "messageCost");
    int64_t cost = message_cost > answer->cost ? message_cost : answer->cost;
    answer->key = trace_key(answer->trimmed, answer->trimmed_count, cost);
    return true;
}

/* The first part that differs, or NULL. */
static const char *difference(const struct vector *vector, const struct answer *answer)
{
    if (!are_items(vector, "stack", answer->stack.items, answer->stack.count)) {
        return "stack";
    }
    if (!are_items(vector, "trimmed", answer->trimmed, answer->trimmed_count)) {
        return "trimmed";
    }
    if (integer(vector, "cost") != answer->cost) {
        return "cost";
    }
    return is_key(vector, answer->key) ? NULL : "key";
}

/* Categories whose answers differ on purpose, and the quirk (src/trace/README.md) we do not share.
 * A name covers those that start with it. */
static const struct difference {
    const char *category;
    const char *why;
} differing[] = {
    {"calls-before-the-first-message", "the call that ends last is no root"},
    {"depth-below-zero", "calls that end after a later message"},
    {"depth-gap", "a lost exit leaves no gap"},
    {"doubled-outs", "an exit matches no older message"},
    {"dropped-records", "all kinds of missing records"},
    {"end-time-in-ns", "the end is in the unit of the words"},
    {"first-depth-not-zero", "an open caller hides no finished call"},
    {"id-zero-at-time-zero", "a lost exit leaves no gap"},
    {"key-30-percent-rounding", "30 % is exact"},
    {"lost-in-message-not-oldest", "an exit takes no other call's entry"},
    {"lost-in-outside-a-message", "an exit takes no other call's entry"},
    {"lost-message-out", "calls stay with their message"},
    {"lost-out", "a lost exit leaves no gap"},
    {"matched-through-a-message", "an exit matches no older message"},
    {"merge-5000", "5000 ms are 5000 ms"},
    {"message-out-without-in", "an exit takes no other call's entry"},
    {"missing-", "all kinds of missing records"},
    {"noise", "all kinds of missing records"},
    {"open-at-the-end", "calls stay with their message"},
    {"open-call-after-the-end", "no negative durations"},
    {"overflow-", "64 bits"},
    {"random-words", "all kinds of missing records"},
    {"time-goes-back", "one impossible call does not spoil the others"},
    {"time-jumps", "one impossible call does not spoil the others"},
    {"trim-negative", "no negative durations"},
    {"window", "all kinds of missing records"},
};

static bool may_differ(const char *name)
{
    for (size_t i = 0; i < MB_COUNT(differing); i++) {
        if (strncmp(name, differing[i].category, strlen(differing[i].category)) == 0) {
            return true;
        }
    }
    return false;
}

/* What our own rules promise for any words at all. */
static const char *broken_promise(const struct vector *vector, const struct answer *answer)
{
    const struct trace_stack *stack = &answer->stack;
    uint64_t calls = 0;
    int32_t depth = -1;

    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_item *item = &stack->items[i];
        if (item->depth < 0 || item->depth > depth + 1 || item->duration < 0 || item->count == 0) {
            return "an item without father, duration or count";
        }
        depth = item->depth;
        calls += item->count;
    }
    uint64_t entries = 0;
    for (size_t i = vector->strict ? first_message(vector) : 0; i < vector->word_count; i++) {
        entries += abi_record_is_enter(vector->words[i]);
    }
    const struct trace_losses *losses = &stack->losses;
    uint64_t unused =
        losses->lost_exits + losses->time_went_back + (vector->strict ? 0 : losses->open_calls);
    return calls + unused == entries ? NULL : "an entry neither used nor counted";
}

static void run_line(const char *line, struct counts *counts)
{
    struct vector vector = {0};
    struct answer answer = {0};
    const char *wrong = "a line that is no case";

    if (read_vector(&vector, line)) {
        wrong = decode(&vector, &answer) ? difference(&vector, &answer) : "the decoder failed";
        counts->differ += wrong != NULL;
        wrong = wrong != NULL && may_differ(vector.name) ? NULL : wrong;
        wrong = wrong != NULL ? wrong : broken_promise(&vector, &answer);
    }
    if (wrong != NULL) {
        (void)printf("%s: %s\n", vector.name != NULL ? vector.name : line, wrong);
    }
    counts->passed += wrong == NULL;
    counts->failed += wrong != NULL;
    free(vector.words);
    json_decref(vector.json);
}

static bool run_file(const char *path, struct counts *counts)
{
    gzFile file = gzopen(path, "rb");
    char *line = malloc(LINE_MAX_SIZE);
    bool ok = file != NULL && line != NULL;

    while (ok && gzgets(file, line, (int)LINE_MAX_SIZE) != NULL) {
        if (line[strspn(line, " \r\n")] != '\0') {
            run_line(line, counts);
        }
    }
    if (!ok) {
        perror(path);
    }
    free(line);
    if (file != NULL) {
        (void)gzclose(file);
    }
    return ok;
}

int main(int argc, char **argv)
{
    struct counts counts = {0};
    bool ok = argc > 1;

    if (!ok) {
        (void)fprintf(stderr, "usage: run_vectors FILE...\n");
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        ok = run_file(argv[i], &counts) && ok;
    }
    (void)printf("%u differ from upstream\n", counts.differ);
    (void)printf("%u passed, %u failed\n", counts.passed, counts.failed);
    return ok && counts.failed == 0 && counts.passed > 0 ? 0 : 1;
}
