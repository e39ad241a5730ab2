#include "monitor/spool/incident.h"

#include "abi/issue.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Days of the calendar ---- */

#define LAST_DAY INT64_C(2932896) /* 9999-12-31 */

int64_t spool_day_of(int64_t wall_ns)
{
    return wall_ns > 0 ? wall_ns / SPOOL_NS_PER_DAY : 0;
}

static uint32_t days_of_year(uint32_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 366u : 365u;
}

static uint32_t days_of_month(uint32_t year, uint32_t month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return (uint32_t)days[month - 1] + (month == 2 && days_of_year(year) == 366);
}

/* Days from 1970 to the first day of the year. */
static int64_t first_day(uint32_t year)
{
    int64_t before = (int64_t)year - 1;

    return before * 365 + before / 4 - before / 100 + before / 400 - 719162;
}

uint32_t spool_date(int64_t day)
{
    int64_t rest = day < 0 ? 0 : day > LAST_DAY ? LAST_DAY : day;
    uint32_t year = (uint32_t)(1970 + rest / 366);
    uint32_t month = 1;

    while (first_day(year + 1) <= rest) {
        year++;
    }
    rest -= first_day(year);
    while (rest >= days_of_month(year, month)) {
        rest -= days_of_month(year, month);
        month++;
    }
    return year * 10000 + month * 100 + (uint32_t)rest + 1;
}

int64_t spool_day(uint32_t date)
{
    uint32_t year = date / 10000;
    uint32_t month = date / 100 % 100;
    uint32_t day = date % 100;
    int64_t days = 0;

    if (year < 1970 || year > 9999 || month < 1 || month > 12 || day < 1 ||
        day > days_of_month(year, month)) {
        return -1;
    }
    for (uint32_t m = 1; m < month; m++) {
        days += days_of_month(year, m);
    }
    return first_day(year) + days + day - 1;
}

void spool_put_date(char text[SPOOL_DATE_SIZE], int64_t day)
{
    (void)snprintf(text, SPOOL_DATE_SIZE, "%08u", spool_date(day) % 100000000);
}

void spool_put_time(char text[SPOOL_TIME_SIZE], int64_t wall_ns)
{
    uint32_t ms = wall_ns > 0 ? (uint32_t)(wall_ns / 1000000 % 86400000) : 0;

    (void)snprintf(text, SPOOL_TIME_SIZE, "%02u%02u%02u.%03u", ms / 3600000 % 24, ms / 60000 % 60,
                   ms / 1000 % 60, ms % 1000);
}

/* ---- Incidents and files ---- */

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
