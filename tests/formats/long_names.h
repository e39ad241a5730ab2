/* Names of some length, for what is shown in columns. */

#ifndef FORMATS_LONG_NAMES_H
#define FORMATS_LONG_NAMES_H

#include "answer/words.h"

#include <criterion/criterion.h>

static struct mb_text long_name(const void *context, uint32_t id)
{
    (void)context;
    return id == 1   ? MB_TEXT("com.example.app.Main.run(String,int)")
           : id == 2 ? MB_TEXT("caf\xc3\xa9.\xc3\xa9t\xc3\xa9.Main.run")
           : id == 3 ? MB_TEXT("Main.run")
           : id == 4 ? MB_TEXT("a\x1b.b.Main.aMethodWithAVeryLongName")
                     : (struct mb_text){0};
}

static void expect_text(struct mb_buf *out, const char *expected)
{
    mb_buf_put_u1(out, 0);
    cr_expect_str_eq((const char *)out->bytes, expected);
    mb_buf_finish(out);
}

#endif
