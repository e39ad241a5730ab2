#include "monitor/watch/custom.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 64

/* ---- Texts ---- */

static const struct {
    const char *what;
    const char *detail;
    const char *key;
    const char *json;
    bool is_right;
} cases[] = {
    {"all", "checkout", "cart.empty", "{\"a\":1}", true},
    {"a detail alone", "Aa0_.-", NULL, NULL, true},
    {"empty texts", "a", "", "", true},
    {"31 bytes", "0123456789012345678901234567890", NULL, NULL, true},
    {"32 bytes", "01234567890123456789012345678901", NULL, NULL, false},
    {"no detail", NULL, NULL, NULL, false},
    {"an empty one", "", "key", "1", false},
    {"one of ours", "LAG", NULL, NULL, false},
    {"one of ours, in small letters", "cpu", NULL, NULL, false},
    {"the one that stands for all", "Custom", NULL, NULL, false},
    {"no letter", "a/b", NULL, NULL, false},
    {"a blank", "a b", NULL, NULL, false},
    {"beyond ASCII", "caf\xc3\xa9", NULL, NULL, false},
    {"a key beyond ASCII", "a", "caf\xc3\xa9", NULL, true},
    {"no JSON", "a", NULL, "{a}", false},
    {"two values", "a", NULL, "1 2", false},
};

EACH_ROW(custom, is_refused_unless_its_texts_are_valid, cases);

ParameterizedTest(size_t *row, custom, is_refused_unless_its_texts_are_valid)
{
    struct watch_custom *custom =
        watch_custom_create(cases[*row].detail, cases[*row].key, cases[*row].json);

    cr_expect(eq(int, custom != NULL, cases[*row].is_right), "%s", cases[*row].what);
    free(custom);
}

static bool is_right(size_t key_size, size_t json_size)
{
    char *text = malloc(WATCH_CUSTOM_JSON_SIZE + 1);

    memset(text, 'x', key_size);
    text[key_size] = '\0';
    char *key = strdup(text);
    memset(text, ' ', json_size);
    text[0] = '1';
    text[json_size] = '\0';
    struct watch_custom *custom = watch_custom_create("a", key, text);
    bool is_there =
        custom != NULL && strcmp(custom->key, key) == 0 && strcmp(custom->json, text) == 0;
    free(custom);
    free(key);
    free(text);
    return is_there;
}

Test(custom, is_only_so_long)
{
    cr_assert(is_right(127, 65535));
    cr_assert(not(is_right(128, 1)));
    cr_assert(not(is_right(1, 65536)));
}

/* ---- Reported ---- */

static struct {
    pthread_mutex_t lock;
    uint32_t count;
    char details[KEPT][WATCH_CUSTOM_DETAIL_SIZE];
    char json[KEPT][2048];
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void hear(void *context, const struct watch_issue *issue)
{
    (void)context;
    (void)pthread_mutex_lock(&heard.lock);
    if (heard.count < KEPT) {
        (void)snprintf(heard.details[heard.count], WATCH_CUSTOM_DETAIL_SIZE, "%s", issue->detail);
        (void)snprintf(heard.json[heard.count], sizeof(heard.json[0]), "%s", issue->json);
    }
    heard.count++;
    (void)pthread_mutex_unlock(&heard.lock);
}

static void start(void)
{
    cr_assert(watch_set("cpu_enable", "off"));
    cr_assert(watch_listen(hear, NULL));
    cr_assert(watch_start());
}

Test(custom, is_heard, .init = start, .timeout = 60)
{
    cr_assert(watch_report("checkout", "cart", "{\"items\":0}"));
    cr_assert(not(watch_report("LAG", "cart", NULL)));
    watch_stop();
    cr_assert(eq(u32, heard.count, 1));
    cr_assert_str_eq(heard.details[0], "checkout");
    cr_assert_not_null(strstr(heard.json[0], "\"value\":{\"items\":0}"), "%s", heard.json[0]);
}

Test(custom, is_refused_while_nobody_watches, .timeout = 60)
{
    cr_assert(not(watch_report("checkout", NULL, NULL)));
    start();
    watch_stop();
    cr_assert(not(watch_report("checkout", NULL, NULL)));
    cr_assert(eq(u32, heard.count, 0));
}

static _Atomic(uint32_t) told;

static void *tell_ten(void *key)
{
    for (int i = 0; i < 10; i++) {
        atomic_fetch_add(&told, watch_report("busy", key, "[]"));
    }
    return NULL;
}

/* Each that was taken on is heard, or counted where the disk is too slow for it: here it is not. */
Test(custom, is_told_by_any_thread, .init = start, .timeout = 60)
{
    pthread_t threads[4];
    char keys[4][2] = {"a", "b", "c", "d"};

    for (int i = 0; i < 4; i++) {
        cr_assert(eq(int, pthread_create(&threads[i], NULL, tell_ten, keys[i]), 0));
    }
    for (int i = 0; i < 4; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    watch_stop();
    cr_assert(ge(u32, atomic_load(&told), 10));
    cr_assert(le(u32, heard.count, atomic_load(&told)));
    cr_assert(gt(u32, heard.count, 0));
}
