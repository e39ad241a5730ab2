#include "archive/codec.h"
#include "archive/listing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAME_COUNT 40000
#define NAME_SIZE 12

static struct ar_input list_names(char (*names)[NAME_SIZE])
{
    struct ar_input input = {.entries = calloc(NAME_COUNT, sizeof(struct ar_entry))};

    input.count = NAME_COUNT;
    for (size_t i = 0; i < NAME_COUNT; i++) {
        input.entries[i].name = (struct mb_text){names[i], NAME_SIZE};
        input.entries[i].offset = i;
    }
    return input;
}

static double seconds_to_drop(char (*names)[NAME_SIZE], size_t kept)
{
    struct ar_input input = list_names(names);
    clock_t start = clock();

    cr_assert(eq(int, ar_drop_duplicates(&input, NULL), MB_OK));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    cr_expect(eq(sz, input.count, kept));
    cr_expect(eq(sz, input.duplicate_count, NAME_COUNT - kept));
    free(input.entries);
    return seconds;
}

static uint32_t add_byte(uint32_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++) {
        crc = crc >> 1 ^ (0xedb88320U & (0U - (crc & 1)));
    }
    return crc;
}

/* The last four bytes undo what those before them did, so that all names have one CRC-32. */
static void end_in_zero(char *name)
{
    uint32_t crc = 0xffffffffU;

    for (size_t i = 0; i < NAME_SIZE - 4; i++) {
        crc = add_byte(crc, (uint8_t)name[i]);
    }
    memcpy(name + NAME_SIZE - 4, &crc, 4);
}

Test(duplicates, many_names_of_one_checksum_take_no_longer_than_others)
{
    static char plain[NAME_COUNT][NAME_SIZE];
    static char forged[NAME_COUNT][NAME_SIZE];

    for (size_t i = 0; i < NAME_COUNT; i++) {
        memcpy(plain[i], &i, sizeof(i));
        memcpy(forged[i], &i, sizeof(i));
        end_in_zero(forged[i]);
        cr_assert(eq(u32, ar_crc32((struct mb_text){forged[i], NAME_SIZE}),
                     ar_crc32((struct mb_text){forged[0], NAME_SIZE})));
    }
    double usual = seconds_to_drop(plain, NAME_COUNT);
    double seconds = seconds_to_drop(forged, NAME_COUNT);
    cr_expect(seconds < 20 * usual + 0.02, "%.3f s, others %.3f s", seconds, usual);
}

Test(duplicates, the_last_content_stands_at_the_first_place)
{
    static char names[NAME_COUNT][NAME_SIZE];

    for (size_t i = 0; i < NAME_COUNT; i++) {
        size_t number = i % 1000;
        memcpy(names[i], &number, sizeof(number));
    }
    struct ar_input input = list_names(names);
    cr_assert(eq(int, ar_drop_duplicates(&input, NULL), MB_OK));
    cr_assert(eq(sz, input.count, 1000));
    for (size_t i = 0; i < input.count; i++) {
        cr_expect(eq(u64, input.entries[i].offset, NAME_COUNT - 1000 + i));
    }
    free(input.entries);
}
