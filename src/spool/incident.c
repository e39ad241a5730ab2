#include "spool/incident.h"

#include "spool/date.h"

#include <inttypes.h>
#include <stdio.h>

bool spool_hex_read(uint64_t *value, struct mb_text text)
{
    *value = 0;
    if (text.size == 0 || text.size > 16 || (text.size > 1 && text.data[0] == '0')) {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
            return false;
        }
        *value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

bool spool_incident_read(struct spool_incident *incident, struct mb_text text)
{
    struct mb_text start = mb_text_split(&text, '-');
    uint64_t number;

    if (!spool_hex_read(&incident->start, start) || !mb_text_to_number(text, UINT32_MAX, &number) ||
        (text.size > 1 && text.data[0] == '0')) {
        return false;
    }
    incident->number = (uint32_t)number;
    return true;
}

enum mon_detail spool_detail_of(struct mb_text name)
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
    (void)snprintf(text, SPOOL_NAME_SIZE, "%s-%s-%08" PRIx32 "-%" PRIx64 "-%" PRIu32 ".json", time,
                   mon_detail_name(name->detail), (uint32_t)name->key, name->incident.start,
                   name->incident.number);
}

bool spool_file_name_read(struct spool_file_name *name, struct mb_text text)
{
    static const struct mb_text end = MB_TEXT_ROW(".json");

    *name = (struct spool_file_name){0};
    if (!mb_text_ends(text, end)) {
        return false;
    }
    text.size -= end.size;
    if (mb_text_split(&text, '-').size != SPOOL_TIME_SIZE - 1) {
        return false;
    }
    name->detail = spool_detail_of(mb_text_split(&text, '-'));
    return name->detail != MON_NOTHING && mb_text_split(&text, '-').size == 8 &&
           spool_incident_read(&name->incident, text);
}
