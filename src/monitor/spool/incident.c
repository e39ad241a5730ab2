#include "monitor/spool/incident.h"

#include "abi/issue.h"
#include "monitor/spool/date.h"

#include <inttypes.h>
#include <stdio.h>

/* 1 to 16 lower-case digits; false otherwise. */
static bool read_hex(uint64_t *value, struct mb_text text)
{
    *value = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
            return false;
        }
        *value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return text.size > 0 && text.size <= 16;
}

/* Numbers are written without leading zeros. */
static bool has_zeros(struct mb_text text)
{
    return text.size > 1 && text.data[0] == '0';
}

bool spool_incident_read(struct spool_incident *incident, struct mb_text text)
{
    struct mb_text start = mb_text_split(&text, '-');
    uint64_t number;

    if (has_zeros(start) || has_zeros(text) || !read_hex(&incident->start, start) ||
        !mb_text_to_number(text, UINT32_MAX, &number)) {
        return false;
    }
    incident->number = (uint32_t)number;
    return true;
}

static enum mon_detail detail_of(struct mb_text name)
{
    for (enum mon_detail detail = MON_NORMAL; detail < MON_DETAIL_COUNT; detail++) {
        if (mb_text_is(name, mon_detail_name(detail))) {
            return detail;
        }
    }
    return MON_NOTHING;
}

void spool_file_name_put(char text[SPOOL_NAME_SIZE], const struct spool_file_name *name)
{
    char time[SPOOL_TIME_SIZE];

    spool_put_time(time, name->wall_ns);
    (void)snprintf(text, SPOOL_NAME_SIZE, "%s-%s-%08" PRIx32 "-%" PRIx64 "-%" PRIu32 ABI_FILE_END,
                   time, mon_detail_name(name->detail), name->key, name->incident.start,
                   name->incident.number);
}

bool spool_file_name_read(struct spool_file_name *name, struct mb_text text)
{
    static const struct mb_text end = MB_TEXT_ROW(ABI_FILE_END);

    uint64_t key = 0;

    *name = (struct spool_file_name){0};
    if (!mb_text_ends(text, end)) {
        return false;
    }
    text.size -= end.size;
    if (mb_text_split(&text, '-').size != SPOOL_TIME_SIZE - 1) {
        return false;
    }
    name->detail = detail_of(mb_text_split(&text, '-'));
    struct mb_text digits = mb_text_split(&text, '-');
    bool has_key = digits.size == 8 && read_hex(&key, digits);
    name->key = (uint32_t)key;
    return name->detail != MON_NOTHING && has_key && spool_incident_read(&name->incident, text);
}
