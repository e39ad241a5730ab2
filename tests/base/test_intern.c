#include "base/intern.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t add(struct mb_intern *names, const char *text)
{
    return mb_intern_add(names, mb_text_of(text));
}

Test(names, equal_texts_have_equal_numbers)
{
    struct mb_intern *names = mb_intern_create();
    uint32_t a = add(names, "run");

    cr_assert(ne(u32, a, MB_INTERN_NONE));
    cr_assert(ne(u32, add(names, "Run"), a));
    cr_assert(eq(u32, add(names, "run"), a));
    cr_assert(ne(u32, add(names, ""), MB_INTERN_NONE));
    cr_assert(mb_text_is(mb_intern_get(names, a), "run"));
    cr_assert(eq(sz, mb_intern_get(names, MB_INTERN_NONE).size, 0));
    mb_intern_destroy(names);
}

Test(names, many_at_once_are_those_one_after_another)
{
    struct mb_intern *names = mb_intern_create();
    struct mb_text texts[MB_INTERN_AT_ONCE];
    uint32_t numbers[MB_INTERN_AT_ONCE];
    char bytes[MB_INTERN_AT_ONCE][16];
    uint32_t known = add(names, "name 3");

    for (size_t i = 0; i < MB_INTERN_AT_ONCE; i++) { /* each twice */
        (void)snprintf(bytes[i], sizeof(bytes[i]), "name %zu", i / 2);
        texts[i] = mb_text_of(bytes[i]);
    }
    cr_assert(mb_intern_add_all(names, texts, MB_INTERN_AT_ONCE, numbers));
    cr_assert(mb_intern_add_all(names, texts, 0, NULL));
    cr_assert(eq(u32, numbers[6], known));
    for (size_t i = 0; i < MB_INTERN_AT_ONCE; i++) {
        cr_assert(mb_text_equal(mb_intern_get(names, numbers[i]), texts[i]));
        cr_assert(eq(u32, mb_intern_add(names, texts[i]), numbers[i]));
    }
    mb_intern_destroy(names);
}

/* More than the first tables and chunks hold, and the longest text there can be. */
static void fill(struct mb_intern *names, uint32_t *numbers, size_t count)
{
    char text[32];

    for (size_t i = 0; i < count; i++) {
        (void)snprintf(text, sizeof(text), "name %zu", i);
        numbers[i] = add(names, text);
    }
}

static void expect_filled(struct mb_intern *names, const uint32_t *numbers, size_t count)
{
    char text[32];

    for (size_t i = 0; i < count; i++) {
        (void)snprintf(text, sizeof(text), "name %zu", i);
        cr_assert(mb_text_is(mb_intern_get(names, numbers[i]), text));
        cr_assert(eq(u32, add(names, text), numbers[i]));
    }
}

#define MANY 200000

Test(names, many_and_long_ones)
{
    struct mb_intern *names = mb_intern_create();
    uint32_t *numbers = calloc(MANY, sizeof(*numbers));
    char *longest = malloc(UINT16_MAX);
    struct mb_text text = {longest, UINT16_MAX};

    memset(longest, 'x', UINT16_MAX);
    uint32_t number = mb_intern_add(names, text);
    fill(names, numbers, MANY);
    expect_filled(names, numbers, MANY);
    for (char c = 'a'; c < 'k'; c++) {
        longest[0] = c;
        cr_assert(mb_text_equal(mb_intern_get(names, mb_intern_add(names, text)), text));
    }
    longest[0] = 'x';
    cr_assert(mb_text_equal(mb_intern_get(names, number), text));
    cr_assert(eq(u32, mb_intern_add(names, text), number));
    free(longest);
    free(numbers);
    mb_intern_destroy(names);
}

static void put(void *context, const void *bytes, size_t size)
{
    mb_buf_put(context, bytes, size);
}

Test(names, an_image_is_the_same_names_and_takes_more)
{
    struct mb_intern *names = mb_intern_create();
    uint32_t *numbers = calloc(MANY, sizeof(*numbers));
    struct mb_buf image = {0};

    fill(names, numbers, 5000);
    mb_intern_save(names, put, &image);
    mb_intern_destroy(names);
    names = mb_intern_load(image.bytes, image.size);
    cr_assert(ne(ptr, names, NULL));
    expect_filled(names, numbers, 5000);
    fill(names, numbers, MANY);
    expect_filled(names, numbers, MANY);
    mb_intern_destroy(names);
    mb_buf_finish(&image);
    free(numbers);
}

Test(names, an_image_cut_short_is_refused)
{
    struct mb_intern *names = mb_intern_create();
    uint32_t number = add(names, "only");
    struct mb_buf image = {0};

    cr_assert(ne(u32, number, MB_INTERN_NONE));
    mb_intern_save(names, put, &image);
    mb_intern_destroy(names);
    for (size_t size = 0; size < image.size; size += 8 + size) {
        cr_assert(eq(ptr, mb_intern_load(image.bytes, size), NULL));
    }
    cr_assert(eq(ptr, mb_intern_load(image.bytes, image.size - 1), NULL));
    mb_buf_finish(&image);
}

#define THREADS 4
#define SHARED 20000

struct adder {
    pthread_t thread;
    struct mb_intern *names;
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
        cr_assert(mb_text_is(mb_intern_get(adder->names, adder->numbers[k]), text));
    }
    return NULL;
}

/* Tables grow while others look up in them. */
Test(names, threads_agree_on_numbers)
{
    static const size_t strides[THREADS] = {1, 3, 19999, 7};
    struct adder adders[THREADS];
    struct mb_intern *names = mb_intern_create();

    for (size_t i = 0; i < THREADS; i++) {
        adders[i] = (struct adder){
            .names = names, .numbers = calloc(SHARED, sizeof(uint32_t)), .stride = strides[i]};
        cr_assert(eq(int, pthread_create(&adders[i].thread, NULL, add_all, &adders[i]), 0));
    }
    for (size_t i = 0; i < THREADS; i++) {
        cr_assert(eq(int, pthread_join(adders[i].thread, NULL), 0));
        cr_assert(memcmp(adders[i].numbers, adders[0].numbers, SHARED * sizeof(uint32_t)) == 0);
    }
    mb_intern_free_outgrown(names);
    expect_filled(names, adders[0].numbers, SHARED);
    for (size_t i = 0; i < THREADS; i++) {
        free(adders[i].numbers);
    }
    mb_intern_destroy(names);
}
