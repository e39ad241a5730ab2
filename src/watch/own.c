#include "watch/own.h"

#include "base/json.h"
#include "watch/clock.h"
#include "watch/say.h"

#include <stdlib.h>
#include <string.h>

/* Letters, digits and what may stand in a file's name; none of ours. */
static bool is_detail(struct mb_text detail)
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
    return detail.size > 0 && detail.size < WATCH_OWN_DETAIL_SIZE;
}

static bool is_right(struct mb_text detail, struct mb_text key, struct mb_text json)
{
    if (!is_detail(detail)) {
        watch_say("no issue: its detail is 1 to %u letters, digits, _ . - and none of ours",
                  WATCH_OWN_DETAIL_SIZE - 1);
        return false;
    }
    if (key.size >= WATCH_TEXT_SIZE) {
        watch_say("no issue: its key is at most %u bytes", WATCH_TEXT_SIZE - 1);
        return false;
    }
    if (json.size > 0 && (json.size >= WATCH_OWN_JSON_SIZE || !mb_json_is_value(json))) {
        watch_say("no issue: what it is to hold is one JSON value of at most %u bytes",
                  WATCH_OWN_JSON_SIZE - 1);
        return false;
    }
    return true;
}

static const char *append(char **end, struct mb_text text)
{
    char *copy = *end;

    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    *end += text.size + 1;
    return copy;
}

struct watch_own *watch_own_create(const char *detail, const char *key, const char *json)
{
    const struct mb_text texts[] = {mb_text_of(detail != NULL ? detail : ""),
                                    mb_text_of(key != NULL ? key : ""),
                                    mb_text_of(json != NULL ? json : "")};

    if (!is_right(texts[0], texts[1], texts[2])) {
        return NULL;
    }
    struct watch_own *own =
        malloc(sizeof(*own) + texts[0].size + texts[1].size + texts[2].size + 3);
    if (own == NULL) {
        watch_say("no issue: out of memory");
        return NULL;
    }
    char *end = (char *)(own + 1);
    *own = (struct watch_own){.at_ns = watch_clock_now_ns(),
                              .detail = append(&end, texts[0]),
                              .key = append(&end, texts[1]),
                              .json = append(&end, texts[2])};
    watch_loops_own_name(own->thread);
    return own;
}

bool watch_owns_put(struct watch_owns *owns, struct watch_own *own)
{
    if (owns->count == WATCH_OWN_COUNT) {
        return false;
    }
    owns->end = owns->count > 0 ? owns->end : &owns->first;
    *owns->end = own;
    owns->end = &own->next;
    owns->count++;
    return true;
}

struct watch_own *watch_owns_take(struct watch_owns *owns)
{
    struct watch_own *own = owns->count > 0 ? owns->first : NULL;

    if (own != NULL) {
        owns->first = own->next;
        owns->count--;
    }
    return own;
}
