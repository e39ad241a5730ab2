#include "answer/issue.h"

#include "base/platform_system.h"

void answer_format_time(char text[ANSWER_TIME_SIZE], int64_t ms)
{
    struct tm parts = {0};

    if (!mb_time_to_utc(ms / 1000, &parts) ||
        strftime(text, ANSWER_TIME_SIZE, "%Y-%m-%d %H:%M:%S", &parts) == 0) {
        text[0] = '\0';
    }
}
