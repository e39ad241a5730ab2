/* Where a trace goes. */

#ifndef RECORDER_PLACE_H
#define RECORDER_PLACE_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stdint.h>

#define BEAT_FOLDER_FILES 4u /* traces of processes of one name, in a folder that names them */

/* The path that pattern stands for: "%p" is the process id, "%%" a '%', "auto" a name of the
 * process's own in the working folder, a pattern that ends in '/' such a name in that folder, which
 * is made if its parent is there. process: the process's name. False if the path gets too long. */
bool beat_place_find(char path[BEAT_PATH_SIZE], const char *pattern, const char *process);

/* Was it named by us in a folder of traces? */
bool beat_place_is_folder(const char *pattern);

/* Make room beside path, which beat_place_find has made of a folder, for one more trace: the oldest
 * of processes of the same name go, but for those that are being recorded, until there are
 * BEAT_FOLDER_FILES with the new one; what a kill left unfinished goes after a minute. */
void beat_place_tidy(const char *path);

#endif
