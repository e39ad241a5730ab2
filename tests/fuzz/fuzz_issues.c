/* Whatever a text holds, the same objects are found in it however it comes in pieces; and what is
 * printed of its issues is JSON, or text that may go to a terminal. */

#include "fuzz.h"

#include "issues/output.h"
#include "issues/retrace.h"
#include "issues/scanner.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

struct heard {
    struct issues_collection all;
    uint64_t sum; /* of objects, cuts and their lines */
};

static void mix(struct heard *heard, struct mb_text text, size_t line)
{
    heard->sum = heard->sum * 31 + mb_text_hash(text) + line;
}

static void hear_object(void *context, struct mb_text object, const struct mb_value *value,
                        size_t line)
{
    struct heard *heard = context;
    struct answer_issue issue;

    mix(heard, object, line);
    if (value != NULL && issues_issue_parse(&issue, heard->all.texts, value) == ISSUES_ISSUE) {
        MB_VEC_PUSH(&heard->all.issues, issue);
    }
}

static void hear_cut(void *context, struct mb_text start, size_t line)
{
    mix(context, start, line + 1000);
}

static void scan(struct heard *heard, struct mb_text text, size_t piece_size)
{
    const struct issues_hearer hearer = {hear_object, hear_cut, heard};
    struct issues_scanner scanner = {0};

    PROMISE(issues_collection_init(&heard->all));
    heard->sum = 0;
    while (text.size > piece_size) {
        issues_scan(&scanner, (struct mb_text){text.data, piece_size}, false, &hearer);
        text.data += piece_size;
        text.size -= piece_size;
    }
    issues_scan(&scanner, text, true, &hearer);
    issues_scanner_finish(&scanner);
}

static void check(const struct issues_format *format, const struct mb_buf *out)
{
    struct mb_text rest = {(const char *)out->bytes, out->size};

    if (format == &issues_json) {
        json_t *json = json_loadb(rest.data, rest.size, JSON_REJECT_DUPLICATES, NULL);
        PROMISE(json != NULL);
        json_decref(json);
    }
    while (rest.size > 0) {
        struct mb_text line = mb_text_split(&rest, '\n');
        line.size -= format == &issues_csv && line.size > 0; /* CR */
        PROMISE(mb_text_printable(line) == line.size);
    }
}

static void print(struct issues_collection *all, enum issues_grouping grouping)
{
    static const char *const paths[] = {NULL};
    const struct issues_map_source source = {.paths = paths};
    const struct issues_filter filter = {0};
    struct issues_names *names = issues_names_create(&source, NULL);
    struct issues_groups groups;

    PROMISE(names != NULL && issues_group(&groups, all, names, grouping, &filter, NULL) == MB_OK);
    for (size_t i = 0; issues_format_at(i) != NULL; i++) {
        const struct issues_page page = {
            .all = all, .groups = &groups, .names = names, .top = 3, .columns = 80};
        struct mb_buf out = {0};
        issues_format_at(i)->put(&page, &out);
        PROMISE(!out.failed);
        check(issues_format_at(i), &out);
        mb_buf_finish(&out);
    }
    issues_groups_finish(&groups);
    issues_names_destroy(names);
}

/* Whatever frames and lines are, each comes back as one or more. */
static void retrace(struct issues_collection *all)
{
    static const char mapping[] = "com.app.Main -> a.b:\n"
                                  "    1:3:void run():10:12 -> a\n"
                                  "    4:4:boolean com.app.Part.inlined(int):7:7 -> a\n"
                                  "    4:4:void run():20 -> a\n"
                                  "    void stop(int) -> a\n"
                                  "    0:65535:void zero():50 -> c\n";
    static char path[32];
    struct rule_builds builds = {.path = path};

    if (path[0] == '\0') {
        FILE *file = tmpfile();
        PROMISE(file != NULL && fputs(mapping, file) >= 0 && fflush(file) == 0);
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
    }
    PROMISE(issues_retrace(all, &builds, NULL) == MB_OK);
    rule_builds_finish(&builds);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mb_text text = {(const char *)bytes, size};
    struct heard whole;
    struct heard parts;

    scan(&whole, text, size + 1);
    scan(&parts, text, 7);
    PROMISE(whole.sum == parts.sum);
    PROMISE(MB_VEC_COUNT(&whole.all.issues) == MB_VEC_COUNT(&parts.all.issues));
    issues_collection_finish(&parts.all);
    PROMISE(issues_unite(&whole.all, NULL) == MB_OK);
    print(&whole.all, ISSUES_BY_KEY);
    retrace(&whole.all);
    for (unsigned grouping = ISSUES_BY_KEY; grouping <= ISSUES_BY_DAY; grouping++) {
        print(&whole.all, (enum issues_grouping)grouping);
    }
    issues_collection_finish(&whole.all);
    return 0;
}
