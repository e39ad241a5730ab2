#include "answer/words.h"
#include "long_names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(words, times_have_three_digits)
{
    static const struct {
        int64_t ns;
        const char *text;
    } times[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {12345, "12.3 us"},
        {999999, "999 us"},
        {1000000, "1.00 ms"},
        {59999999, "59.9 ms"},
        {700000000, "700 ms"},
        {5830000000, "5.83 s"},
        {-1500000, "-1.50 ms"},
        {1234000000000, "1234 s"},
        {INT64_MAX, "9223372036 s"},
        {INT64_MIN, "-9223372036 s"},
    };

    for (size_t i = 0; i < MB_COUNT(times); i++) {
        struct mb_buf out = {0};
        answer_put_time(&out, times[i].ns, 0);
        expect_text(&out, times[i].text);
    }
    struct mb_buf out = {0};
    answer_put_time(&out, 1000, 10);
    expect_text(&out, "   1.00 us");
}

Test(words, counts_have_three_digits_from_100000_on)
{
    static const struct {
        uint64_t count;
        const char *text;
    } counts[] = {{0, "0"},
                  {99999, "99999"},
                  {100000, "100 k"},
                  {999999, "999 k"},
                  {4070000, "4.07 M"},
                  {785000000, "785 M"},
                  {1570000000, "1.57 G"},
                  {UINT64_MAX, "18446744073 G"}};

    for (size_t i = 0; i < MB_COUNT(counts); i++) {
        struct mb_buf out = {0};
        answer_put_count(&out, counts[i].count, 0);
        expect_text(&out, counts[i].text);
    }
}

Test(words, shares_of_nothing_are_nothing)
{
    struct mb_buf out = {0};

    answer_put_percent(&out, 1, 3, 6);
    answer_put_percent(&out, 5, 0, 6);
    expect_text(&out, "  33.3   0.0");
}

Test(words, names_are_whole_where_there_is_room)
{
    const struct answer_names names = {long_name, NULL};
    struct mb_buf out = {0};

    answer_put_method(&out, &names, 1, 0);
    answer_put_method(&out, &names, 4, 0);
    expect_text(&out, "com.example.app.Main.run(String,int)a\\x1b.b.Main.aMethodWithAVeryLongName");
}
