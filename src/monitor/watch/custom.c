#include "monitor/watch/custom.h"

#include "base/clock.h"
#include "base/json.h"
#include "monitor/watch/log.h"

#include <stdlib.h>
#include <string.h>

/* Only letters, digits and marks that file names may have; not a detail of the monitors. */
static bool is_free_detail(struct mb_text detail)
{
    static const char others[] = "_.-";

    for (size_t i = 0; i < detail.size; i++) {
        char c = detail.data[i];
        char lower = (char)(c | 0x20);
        if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') &&
            memchr(others, c, sizeof(others) - 1) == NULL) {
            return false;
        }
    }
    for (enum mon_detail i = MON_NOTHING; i < MON_DETAIL_COUNT; i++) {
        if (mb_text_equal_any_case(detail, mb_text_of(mon_detail_name(i)))) {
            return false;
        }
    }
    return detail.size > 0 && detail.size < WATCH_CUSTOM_DETAIL_SIZE;
}

static bool is_valid(struct mb_text detail, struct mb_text key, struct mb_text json)
{
    if (!is_free_detail(detail)) {
        watch_log("no issue: its detail is 1 to %u letters, digits, _ . - and not methodbeat's",
                  WATCH_CUSTOM_DETAIL_SIZE - 1);
        return false;
    }
    if (key.size >= WATCH_TEXT_SIZE) {
        watch_log("no issue: its key is at most %u bytes", WATCH_TEXT_SIZE - 1);
        return false;
    }
    if (json.size > 0 && (json.size >= WATCH_CUSTOM_JSON_SIZE || !mb_json_is_value(json))) {
        watch_log("no issue: what it is to hold is one JSON value of at most %u bytes",
                  WATCH_CUSTOM_JSON_SIZE - 1);
        return false;
    }
    return true;
}

static const char *append_text(char **end, struct mb_text text)
{
    char *copy = *end;

    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    *end += text.size + 1;
    return copy;
}

struct watch_custom *watch_custom_create(const char *detail, const char *key, const char *json)
{
    const struct mb_text texts[] = {mb_text_of(detail != NULL ? detail : ""),
                                    mb_text_of(key != NULL ? key : ""),
                                    mb_text_of(json != NULL ? json : "")};

    if (!is_valid(texts[0], texts[1], texts[2])) {
        return NULL;
    }
    struct watch_custom *custom =
        malloc(sizeof(*custom) + texts[0].size + texts[1].size + texts[2].size + 3);
    if (custom == NULL) {
        watch_log("no issue: out of memory");
        return NULL;
    }
    char *end = (char *)(custom + 1);
    *custom = (struct watch_custom){.at_ns = mb_clock_now_ns(),
                                    .detail = append_text(&end, texts[0]),
                                    .key = append_text(&end, texts[1]),
                                    .json = append_text(&end, texts[2])};
    watch_loops_name_caller(custom->thread);
    return custom;
}
