#include "answer/building.h"

#include "abi/names.h"
#include "abi/record.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define STEP 5000 /* units between two steps of the clock */
#define STEPS 50

struct words {
    uint64_t all[8192];
    size_t count;
    uint64_t now;
};

static void put(struct words *words, uint32_t id, bool enter, uint64_t later)
{
    words->now += later;
    words->all[words->count++] = abi_record(id, enter, words->now);
}

static void put_call(struct words *words, uint32_t id, uint64_t length)
{
    put(words, id, true, 1);
    put(words, id, false, length);
}

static struct words words;
static struct answer_model model;

static void read_words(uint64_t exact_words)
{
    struct answer_building b = {.model = &model};
    const struct abi_ring_view view = {
        .entry.exact_words = exact_words, .runs = {words.all}, .run_counts = {words.count}};

    model.facts.clock =
        (struct answer_clock){.is_coarse = true, .ns_per_unit = UINT64_C(1000) << 32 | 1};
    answer_add_exact_calls(&b, &view);
    answer_make_usual(&model);
}

static void finish(void)
{
    mb_buf_finish(&model.exact_calls.buf);
    mb_buf_finish(&model.usual.buf);
}

TestSuite(usual, .fini = finish);

static void expect_usual(uint32_t id, double own_ns, double made)
{
    const struct answer_usual *usual = answer_find_usual(&model.facts.methods, id);

    cr_assert(usual != NULL);
    cr_expect(epsilon_eq(dbl, usual->own_ns, own_ns, own_ns / 1000));
    cr_expect(epsilon_eq(dbl, usual->made, made, 0.01));
}

/* The first of each step lost the processor one time in three, and the clock stands still for those
 * after the third. */
Test(usual, calls_say_it_whose_times_are_exact_and_that_were_not_interrupted)
{
    for (uint64_t step = 1; step <= STEPS; step++) {
        words.now = step * STEP;
        put_call(&words, 1, step % 3 == 0 ? 3000 : 20);
        put_call(&words, 1, step % 2 == 0 ? 20 : 21);
        put_call(&words, 1, 20);
        for (int i = 0; i < 40; i++) {
            put(&words, 1, i % 2 == 0, 0);
        }
    }
    read_words(6);
    expect_usual(1, 20.2e3, 0);
}

Test(usual, it_is_not_known_of_few_calls_nor_of_those_that_differ)
{
    for (uint64_t step = 1; step <= STEPS; step++) {
        words.now = step * STEP;
        put_call(&words, 1, 10 * step * step);
        if (step % 2 == 0) {
            put_call(&words, 2, 10);
        }
    }
    read_words(64);
    cr_expect(answer_find_usual(&model.facts.methods, 1) == NULL);
    cr_expect(answer_find_usual(&model.facts.methods, 2) == NULL);
    cr_expect(answer_find_usual(&model.facts.methods, 3) == NULL);
}

/* 1 calls 2 twice, which 3 leaves by an exception; 4 is caught in by its own call. */
Test(usual, own_times_are_without_calls_that_ended)
{
    for (uint64_t step = 1; step <= STEPS; step++) {
        words.now = step * STEP;
        put(&words, 1, true, 1);
        put_call(&words, 2, 40);
        put_call(&words, 2, 40);
        put(&words, 1, false, 98);
        put(&words, 4, true, 1);
        put(&words, 3, true, 1);
        put(&words, ABI_CATCH_ID, false, 1);
        put(&words, 4, false, 0);
        put(&words, 4, false, 5);
    }
    read_words(64);
    expect_usual(1, 100e3, 2);
    expect_usual(2, 40e3, 0);
    cr_expect(answer_find_usual(&model.facts.methods, 3) == NULL);
    cr_expect(answer_find_usual(&model.facts.methods, 4) == NULL);
}
