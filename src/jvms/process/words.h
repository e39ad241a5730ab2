/* The words of a command that starts java, argument files among them. */

#ifndef PROC_WORDS_H
#define PROC_WORDS_H

#include "base/arena.h"
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

#endif
