#include "answer/issue.h"

#include <time.h>

void answer_format_time(char text[ANSWER_TIME_SIZE], int64_t ms)
{
    struct tm parts = {0};
    time_t seconds = (time_t)(ms / 1000);

    if (gmtime_r(&seconds, &parts) == NULL ||
        strftime(text, ANSWER_TIME_SIZE, "%Y-%m-%d %H:%M:%S", &parts) == 0) {
        text[0] = '\0';
    }
}
