#include "instrument/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t add(struct ins_names *names, const char *text)
{
    return ins_names_add(names, mb_text_of(text));
}

Test(names, equal_texts_have_equal_numbers)
{
    struct ins_names *names = ins_names_create();
    uint32_t a = add(names, "run");

    cr_assert(ne(u32, a, INS_NO_NAME));
    cr_assert(ne(u32, add(names, "Run"), a));
    cr_assert(eq(u32, add(names, "run"), a));
    cr_assert(ne(u32, add(names, ""), INS_NO_NAME));
    cr_assert(mb_text_is(ins_names_get(names, a), "run"));
    cr_assert(eq(sz, ins_names_get(names, INS_NO_NAME).size, 0));
    ins_names_destroy(names);
}

Test(names, many_at_once_are_those_one_after_another)
{
    struct ins_names *names = ins_names_create();
    struct mb_text texts[INS_NAMES_AT_ONCE];
    uint32_t numbers[INS_NAMES_AT_ONCE];
    char bytes[INS_NAMES_AT_ONCE][16];
    uint32_t known = add(names, "name 3");

    for (size_t i = 0; i < INS_NAMES_AT_ONCE; i++) { /* each twice */
        (void)snprintf(bytes[i], sizeof(bytes[i]), "name %zu", i / 2);
        texts[i] = mb_text_of(bytes[i]);
    }
    cr_assert(ins_names_add_all(names, texts, INS_NAMES_AT_ONCE, numbers));
    cr_assert(ins_names_add_all(names, texts, 0, NULL));
    cr_assert(eq(u32, numbers[6], known));
    for (size_t i = 0; i < INS_NAMES_AT_ONCE; i++) {
        cr_assert(mb_text_equal(ins_names_get(names, numbers[i]), texts[i]));
        cr_assert(eq(u32, ins_names_add(names, texts[i]), numbers[i]));
    }
    ins_names_destroy(names);
}

/* More than the first tables and chunks hold, and the longest text there can be. */
static void fill(struct ins_names *names, uint32_t *numbers, size_t count)
{
    char text[32];

    for (size_t i = 0; i < count; i++) {
        (void)snprintf(text, sizeof(text), "name %zu", i);
        numbers[i] = add(names, text);
    }
}

static void expect_filled(struct ins_names *names, const uint32_t *numbers, size_t count)
{
    char text[32];

    for (size_t i = 0; i < count; i++) {
        (void)snprintf(text, sizeof(text), "name %zu", i);
        cr_assert(mb_text_is(ins_names_get(names, numbers[i]), text));
        cr_assert(eq(u32, add(names, text), numbers[i]));
    }
}

#define MANY 200000

Test(names, many_and_long_ones)
{
    struct ins_names *names = ins_names_create();
    uint32_t *numbers = calloc(MANY, sizeof(*numbers));
    char *longest = malloc(UINT16_MAX);
    struct mb_text text = {longest, UINT16_MAX};

    memset(longest, 'x', UINT16_MAX);
    uint32_t number = ins_names_add(names, text);
    fill(names, numbers, MANY);
    expect_filled(names, numbers, MANY);
    for (char c = 'a'; c < 'k'; c++) {
        longest[0] = c;
        cr_assert(mb_text_equal(ins_names_get(names, ins_names_add(names, text)), text));
    }
    longest[0] = 'x';
    cr_assert(mb_text_equal(ins_names_get(names, number), text));
    cr_assert(eq(u32, ins_names_add(names, text), number));
    free(longest);
    free(numbers);
    ins_names_destroy(names);
}

static void put(void *context, const void *bytes, size_t size)
{
    mb_buf_put(context, bytes, size);
}

Test(names, an_image_is_the_same_names_and_takes_more)
{
    struct ins_names *names = ins_names_create();
    uint32_t *numbers = calloc(MANY, sizeof(*numbers));
    struct mb_buf image = {0};

    fill(names, numbers, 5000);
    ins_names_save(names, put, &image);
    ins_names_destroy(names);
    names = ins_names_load(image.bytes, image.size);
    cr_assert(ne(ptr, names, NULL));
    expect_filled(names, numbers, 5000);
    fill(names, numbers, MANY);
    expect_filled(names, numbers, MANY);
    ins_names_destroy(names);
    mb_buf_finish(&image);
    free(numbers);
}

Test(names, an_image_cut_short_is_refused)
{
    struct ins_names *names = ins_names_create();
    uint32_t number = add(names, "only");
    struct mb_buf image = {0};

    cr_assert(ne(u32, number, INS_NO_NAME));
    ins_names_save(names, put, &image);
    ins_names_destroy(names);
    for (size_t size = 0; size < image.size; size += 8 + size) {
        cr_assert(eq(ptr, ins_names_load(image.bytes, size), NULL));
    }
    cr_assert(eq(ptr, ins_names_load(image.bytes, image.size - 1), NULL));
    mb_buf_finish(&image);
}

#define THREADS 4
#define SHARED 20000

struct adder {
    pthread_t thread;
    struct ins_names *names;
    uint32_t *numbers;
    size_t stride; /* each thread takes another order */
};

static void *add_all(void *context)
{
    struct adder *adder = context;
    char text[32];

    for (size_t i = 0; i < SHARED; i++) {
        size_t k = i * adder->stride % SHARED;
        (void)snprintf(text, sizeof(text), "name %zu", k);
        adder->numbers[k] = add(adder->names, text);
        cr_assert(mb_text_is(ins_names_get(adder->names, adder->numbers[k]), text));
    }
    return NULL;
}

/* Tables grow while others look up in them. */
Test(names, threads_agree_on_numbers)
{
    static const size_t strides[THREADS] = {1, 3, 19999, 7};
    struct adder adders[THREADS];
    struct ins_names *names = ins_names_create();

    for (size_t i = 0; i < THREADS; i++) {
        adders[i] = (struct adder){
            .names = names, .numbers = calloc(SHARED, sizeof(uint32_t)), .stride = strides[i]};
        cr_assert(eq(int, pthread_create(&adders[i].thread, NULL, add_all, &adders[i]), 0));
    }
    for (size_t i = 0; i < THREADS; i++) {
        cr_assert(eq(int, pthread_join(adders[i].thread, NULL), 0));
        cr_assert(memcmp(adders[i].numbers, adders[0].numbers, SHARED * sizeof(uint32_t)) == 0);
    }
    ins_names_settle(names);
    expect_filled(names, adders[0].numbers, SHARED);
    for (size_t i = 0; i < THREADS; i++) {
        free(adders[i].numbers);
    }
    ins_names_destroy(names);
}
