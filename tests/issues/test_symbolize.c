#include "issues/output.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct mb_text name_of(const void *context, uint32_t id)
{
    (void)context;
    switch (id) {
    case 1:
        return MB_TEXT("a.B.run");
    case 22:
        return MB_TEXT("q.\"x\"");
    case 1048574:
        return MB_TEXT("Handler.dispatch");
    default:
        return (struct mb_text){0};
    }
}

struct line_case {
    const char *what;
    const char *in;
    const char *out; /* NULL: as it came */
};

static const struct line_case line_cases[] = {
    {"an item", "|*\t\t1 2 30\n", "|*\t\ta.B.run 2 30\n"},
    {"a deep item behind a logger's text", "W/Matrix: |*        ...1 2 30\r\n",
     "W/Matrix: |*        ...a.B.run 2 30\r\n"},
    {"a time below 0", "|*\t\t.1 1 -5\n", "|*\t\t.a.B.run 1 -5\n"},
    {"an item of early versions", "|*            1[17]\n", "|*            a.B.run[17]\n"},
    {"an item without line end", "|*\t\t.1048574 1 5", "|*\t\t.Handler.dispatch 1 5"},
    {"an id that nobody knows", "|*\t\t.7 1 5\n", NULL},
    {"an item with something behind", "|*\t\t.1 1 5 x\n", NULL},
    {"an item that misses its time", "|*\t\t.1 1\n", NULL},
    {"the heading", "|*\t\t[id count cost]\n", NULL},
    {"the size of a stack", "|*\t\tStackSize: 1\n", NULL},
    {"another number of the log", "|*\t\tinputCost: 1\n", NULL},
    {"a key", "|*\t\tStackKey: 1|\n", "|*\t\tStackKey: a.B.run|\n"},
    {"a key of several", "stackKey:1|7|1048574| \n", "stackKey:a.B.run|7|Handler.dispatch| \n"},
    {"a key without bar", "stackKey: 1\n", NULL},
    {"an item of an issue", "1,1,2,30\n", "1,a.B.run,2,30\n"},
    {"leading zeros", "1,01,2,30\n", NULL},
    {"five numbers", "1,1,2,30,4\n", NULL},
    {"three numbers", "1,1,2\n", NULL},
    {"a number that is too long", "1,1,2,30000000000\n", NULL},
    {"id 0", "0,0,0,0\n", NULL},
    {"an id beyond the last", "0,1048575,1,1\n", NULL},
    {"a listener's line", "    stack : 0,1,1,879\n", "    stack : 0,a.B.run,1,879\n"},
    {"a list", "stack:[0,1048574,1,98, 1,1,1,17]\n",
     "stack:[0,Handler.dispatch,1,98, 1,a.B.run,1,17]\n"},
    {"an issue", "{\"stack\":\"0,1048574,1,98\\n1,1,1,17\\n\",\"stackKey\":\"1|\"}\n",
     "{\"stack\":\"0,Handler.dispatch,1,98\\n1,a.B.run,1,17\\n\",\"stackKey\":\"a.B.run|\"}\n"},
    {"a key of an early issue", "{\"stackKey\":\"1\\n\"}", "{\"stackKey\":\"a.B.run\\n\"}"},
    {"an indented issue", "  \"stack\" : \"0,1,1,98\"\n", "  \"stack\" : \"0,a.B.run,1,98\"\n"},
    {"an issue in a string", "\"{\\\"stack\\\":\\\"0,1,1,98\\\\n\\\"}\"",
     "\"{\\\"stack\\\":\\\"0,a.B.run,1,98\\\\n\\\"}\""},
    {"a name with quotes", "|*\t\t22 1 5\n", "|*\t\tq.\"x\" 1 5\n"},
    {"a name with quotes in JSON", "\"stackKey\":\"22|\"", "\"stackKey\":\"q.\\\"x\\\"|\""},
    {"a name with quotes in a string of JSON", "\\\"stackKey\\\":\\\"22|\\\"",
     "\\\"stackKey\\\":\\\"q.\\\\\\\"x\\\\\\\"|\\\""},
    {"a quote that nothing opens", "stackKey\":1|", NULL},
    {"the stack of a thread", "{\"threadStack\":\"0,1,1,98\"}", NULL},
    {"another field", "{\"haystack\":\"0,1,1,98\"}", NULL},
    {"a stack of something else", "{\"stack\":\"at a.B.run(B.java:1)\\n\"}", NULL},
    {"two fields that begin alike", "stackstack: stack: 0,1,1,2\n",
     "stackstack: stack: 0,a.B.run,1,2\n"},
    {"nothing", "", NULL},
    {"the start of a field", "stack", NULL},
    {"bytes that are no text", "\xff|*\xfe 1 1 1", NULL},
};

EACH_ROW(symbolize, lines, line_cases);

ParameterizedTest(size_t *row, symbolize, lines)
{
    const struct line_case *c = &line_cases[*row];
    const char *expected = c->out != NULL ? c->out : c->in;
    const struct answer_names names = {name_of, NULL};
    struct mb_buf out = {0};

    issues_symbolize(&out, mb_text_of(c->in), &names);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((const char *)out.bytes, expected, "%s: %s", c->what, (const char *)out.bytes);
    mb_buf_finish(&out);
}
