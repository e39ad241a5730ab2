/* Texts for messages about settings: valid values, known names, replacements. */

#ifndef RECORDER_OPTIONS_H
#define RECORDER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Which values the option of that name takes: "main or all", "a number up to 4095". Terminated, cut
 * to size. False if no such option exists. */
bool beat_options_values(const char *name, char *text, size_t size);

/* The names of all options: "file, mapping, ...". Terminated, cut to size. */
void beat_options_names(char *text, size_t size);

#endif
