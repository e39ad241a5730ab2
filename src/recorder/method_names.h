/* Names of methods that get their ids while the program runs: the trace tells them itself, so that
 * no method map is needed. */

#ifndef RECORDER_METHOD_NAMES_H
#define RECORDER_METHOD_NAMES_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stddef.h>

/* From now on traces have room for names. Before the first recording begins. */
void beat_names_expect(void);

/* Lines of a method map (abi/methodmap.h), kept for the life of the process: they go into the trace
 * of the present recording and of each later one. Any thread. False, and nothing is kept, without
 * memory. */
bool beat_names_add(const char *lines, size_t size);

/* The id of a kind of messages of that name, "class.method", which each trace of the process has;
 * 0 if the name cannot be one, after ABI_MAX_KINDS, or without memory. Any thread. */
uint32_t beat_names_kind(const char *name);

/* The display shows a frame each so often. Any thread, at each frame; 0: it is not known. */
void beat_names_frame_interval(uint64_t interval_ns);

/* Messages of that kind are late if they take longer than that. False while either is unknown. Any
 * thread. */
bool beat_names_frames(uint32_t *kind, uint64_t *interval_ns);

/* Choose requests, while options have their strings, and put all names so far into the section of a
 * new session. Under the lock. */
void beat_names_begin(const struct beat_recorder *recorder);

/* A method that the present recording's options choose; false after the last. Any thread. */
bool beat_names_chosen(uint32_t number, uint32_t *id);

#endif
