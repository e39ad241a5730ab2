#ifndef TESTS_RECORDER_PROGRAMS_QUIET_H
#define TESTS_RECORDER_PROGRAMS_QUIET_H

/* For a log that nobody reads. */
static inline void ignore(const char *line)
{
    (void)line;
}

#endif
