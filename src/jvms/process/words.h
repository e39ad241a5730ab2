/* The words of a command that starts java, argument files among them, and those that the agent
 * gets. */

#ifndef PROC_WORDS_H
#define PROC_WORDS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

/* Zeroed memory is a valid start; release with proc_words_finish. */
struct proc_words {
    struct mb_arena arena;
    union mb_words words; /* borrowed or of the arena */
};

/* One of a list of words; NULL after the last. */
const char *proc_words_item(const union mb_words *list, size_t index);

/* Put a copy of a word; without memory it is missing. */
void proc_words_add(struct proc_words *launch, const char *word, size_t size);

/* Put the words of an argument file to launch->words, quoted ones as java takes them; without
 * memory some are missing. */
void proc_words_split(struct proc_words *launch, const char *text);

void proc_words_finish(struct proc_words *launch);

/* ---- What people may say of probes and samples, as text for the agent ---- */

enum proc_sample { PROC_SAMPLE_OFF, PROC_SAMPLE_ONLY, PROC_SAMPLE_BOTH };

/* Borrowed; NULL: not said. */
struct proc_agent_options {
    int sample; /* enum proc_sample */
    const char *focus;
    const char *blacklist;
    const char *only; /* globs of main classes and jars; of run */
};

/* Put "name=value", a comma before it unless it is the first. */
void proc_agent_put_option(struct mb_buf *out, const char *name, const char *value);

/* Put each that was said; the path of a file as proc_put_absolute does. */
void proc_agent_put_options(struct mb_buf *out, const struct proc_agent_options *options);

/* Put a path as it is here, whatever the working folder of the one that reads it. */
void proc_put_absolute(struct mb_buf *out, const char *path);

#endif
