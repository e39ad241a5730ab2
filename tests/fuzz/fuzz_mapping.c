/* Any text is a mapping file or is refused with its line, original classes have no dots, and frames
 * of stacks become others, or stay. The first line asks: class, method, descriptor. */

#include "fuzz.h"
#include "rules/mapping.h"

#include <string.h>

static void ask(const struct rule_mapping *names, struct mb_text question)
{
    const struct rule_class_names *methods = NULL;
    struct rule_original answer = {0};
    struct mb_arena arena = {0};
    struct rule_original asked = {.class_name = mb_text_split(&question, ' ')};

    asked.name = mb_text_split(&question, ' ');
    asked.descriptor = question;
    PROMISE(rule_mapping_open(names, asked.class_name, &arena, &methods, NULL) == MB_OK);
    PROMISE(rule_mapping_method(methods, &asked, &answer, NULL) == MB_OK);
    PROMISE(answer.class_name.size == 0 || mb_text_contains(asked.class_name, MB_TEXT(".")) ||
            !mb_text_contains(answer.class_name, MB_TEXT(".")));
    mb_arena_finish(&arena);
}

/* The same method as a frame, with and without a line. */
static void ask_frame(const struct rule_mapping *names, struct mb_text question)
{
    struct mb_buf frame = {0};
    struct mb_buf answer = {0};
    struct rule_outline outline = {0};

    for (size_t i = 0; i < 2; i++) {
        struct mb_text rest = question;
        struct mb_text part = mb_text_split(&rest, ' ');
        mb_buf_reset(&frame);
        mb_buf_reset(&answer);
        mb_buf_put(&frame, part.data, part.size);
        mb_buf_put_u1(&frame, '.');
        part = mb_text_split(&rest, ' ');
        mb_buf_put(&frame, part.data, part.size);
        mb_buf_put_string(&frame, i == 0 ? "" : "(S:2)");
        rule_mapping_put_frame(&answer, names,
                               (struct mb_text){(const char *)frame.bytes, frame.size}, &outline);
        PROMISE(!answer.failed);
    }
    mb_buf_finish(&frame);
    mb_buf_finish(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mb_text text = {(const char *)data, size};
    struct mb_text question = mb_text_split(&text, '\n');
    struct rule_mapping *names = NULL;
    struct mb_error err = {0};
    enum mb_status status = rule_mapping_parse(&names, text, "m", &err);

    PROMISE(status == MB_OK || status == MB_BAD_TEXT);
    PROMISE((status == MB_OK) == (names != NULL));
    PROMISE(status == MB_OK || strncmp(err.input, "m:", 2) == 0);
    if (names != NULL) {
        ask(names, question);
        ask_frame(names, question);
    }
    rule_mapping_destroy(names);
    return 0;
}
