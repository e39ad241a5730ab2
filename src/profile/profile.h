/* From the words of many threads to the profile of abi/profile.h, portion by portion: who holds the
 * sections' memory feeds it, and may be killed at any moment. Pure but for that memory. One thread
 * at a time for everything of one tree. */

#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "abi/profile.h"
#include "abi/section.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One method over all threads; what a throttle looks at. Times in units. */
struct prof_method {
    uint64_t calls; /* that have ended */
    uint64_t total; /* of those that were not within another of it */
    uint64_t own;
    uint64_t checked_calls; /* calls and own of before, when prof_is_cheap was last asked */
    uint64_t checked_own;
    uint64_t muted_since; /* time + 1; 0: it is not */
    uint32_t newest_node; /* + 1; 0: absent */
    bool has_caught;      /* since prof_is_cheap was last asked */
};

#define PROF_MAX_SUSPECTS 256u

/* The nodes of all threads. */
struct prof_tree {
    struct abi_trace_section *section;
    struct abi_profile_node *nodes;
    uint32_t capacity; /* nodes for which there is memory behind; may grow */
    uint32_t slot_mask;
    uint32_t used_slots;                  /* of at least twice as many, while there is memory */
    struct prof_slot *slots;              /* where the child of a node is */
    uint32_t *next;                       /* [place]: see prof_follow (profile/tree.h) */
    uint32_t *older;                      /* [node] = one of its method that is older, + 1 */
    struct prof_fold *folds;              /* [node] (profile/fold.c) */
    uint32_t first_fold;                  /* the first of those to be settled, + 1 */
    uint64_t settled;                     /* the time of folded calls until then is in the nodes */
    struct prof_method *methods;          /* [id] */
    uint32_t suspects[PROF_MAX_SUSPECTS]; /* methods with many calls since somebody looked */
    uint32_t suspect_count;
};

/* Nodes go to records of section, which are zeroed and have room for section->capacity. False
 * without memory; finish also then. capacity is 0 until somebody sets it. */
bool prof_tree_init(struct prof_tree *tree, struct abi_trace_section *section,
                    struct abi_profile_node *nodes);
void prof_tree_finish(struct prof_tree *tree);

/* The state of one thread between two portions: which calls are open. */
struct prof_frame {
    uint64_t start;
    uint64_t inside; /* of calls it made that have ended */
    uint32_t node;
    uint32_t id : 20;
    uint32_t is_absorbed : 1; /* no node of its own: its time is its caller's own */
    uint32_t is_folded : 1;   /* within a call of its method, whose node it has */
    uint32_t is_shared : 1;   /* another thread of the row has a call of the node open */
    uint32_t outer; /* place, from 1, of the next open call of its method around it; 0: none */
    uint32_t slot;  /* in open */
};

/* The newest open call of a method. */
struct prof_open {
    uint32_t id;
    uint32_t place; /* from 1; 0: the slot is free */
};

#define PROF_ROOTS 8u

/* An outermost call and the time inside since CPU time was last shared out. */
struct prof_root {
    uint32_t node;
    uint64_t inside;
};

#define PROF_STRETCHES 8u

/* What a call did itself without a word in between, since CPU time was last shared out. */
struct prof_stretch {
    uint32_t node;
    uint64_t length;
};

/* What was told since the thread last ran: a part of its waiting may turn out to have been
 * readiness. */
struct prof_told {
    uint64_t row_waited;
    uint64_t node_waited;
    uint64_t idle;   /* without a processor */
    uint32_t node;   /* of the call that is open, or ABI_PROFILE_NO_NODE */
    bool is_inside;  /* all of the last time was inside outermost calls, */
    bool is_in_node; /* or in that call itself */
};

struct prof_lane {
    struct abi_profile_thread *row;
    uint32_t row_index;
    uint32_t depth;
    uint32_t room;
    uint32_t doubtful; /* so many of them were open before words were missing */
    uint32_t message;  /* depth of the open message, from 1; 0: none */
    uint32_t place;    /* behind the last word: see prof_follow (profile/tree.h) */
    bool catches;      /* the last word said that the next is a catch */
    bool has_begun;    /* first_time of the row is set */
    bool has_gap;      /* words are missing before the next */
    struct prof_frame *frames;
    uint64_t time;        /* of the last word */
    uint64_t shared_time; /* when CPU time was last shared out */
    uint32_t root_count;
    struct prof_root roots[PROF_ROOTS];
    uint64_t stretch; /* between two words, to be told apart: longer than this; 0: none is */
    struct prof_told told;
    uint32_t stretch_count;
    struct prof_stretch stretches[PROF_STRETCHES];
    struct prof_open
        *open; /* hash table by id, twice as large as room; what came last goes first */
};

/* A new thread, whose calls go to row number row_index. False without memory; finish also then. */
bool prof_lane_init(struct prof_lane *lane, struct abi_profile_thread *row, uint32_t row_index);

/* Without an end of its open calls: they go on being open in the nodes. */
void prof_lane_finish(struct prof_lane *lane);

/* The next words of the thread, oldest first. now: the present time, all 64 bits, read after they
 * were. Needs room for as many nodes as words; calls without are their callers' own time. */
void prof_feed(struct prof_tree *tree, struct prof_lane *lane, const uint64_t *words, size_t count,
               uint64_t now);

/* Folded calls of all threads: their time until now is in the nodes' own times. Takes as long as
 * there are nodes for which that matters, however high stacks are. */
void prof_settle(struct prof_tree *tree, uint64_t now);

/* Words are missing here. Calls that are open go on being so until a record shows that they are
 * over: an exit from outside them, or an entry of a method that was seen to be called from outside
 * them, but never from inside. */
void prof_skip(struct prof_lane *lane, uint64_t lost_words);

/* The thread is over: its open calls end with its last word. */
void prof_end(struct prof_tree *tree, struct prof_lane *lane);

/* ---- What the system knows of the thread (usage.c) ---- */

/* Of the time since this was last told; in units but for cpu_ns. */
struct prof_usage {
    uint64_t now;    /* all words until then have been fed */
    uint64_t cpu_ns; /* CPU time, */
    uint64_t worked; /* the same in units */
    uint64_t ready;  /* without a processor, though it could have run */
    uint64_t slack;  /* what times may be wrong by */
    bool is_first;   /* worked and ready are so much at most: they began before the first word */
    bool has_bounds; /* ... of worked, ready and waiting are to be kept */
    bool knows_ready;
};

/* The outermost calls that ran meanwhile share the CPU time by the time that was spent in them;
 * what was spent outside has its share too. What they worked, were ready and waited at least,
 * together and in long stretches of one call, goes to row and nodes: as if all that can have been
 * outside was. */
void prof_share_cpu(struct prof_tree *tree, struct prof_lane *lane, const struct prof_usage *usage);

/* The newest open call did nothing from one word to the next but what it does itself. */
void prof_add_stretch(struct prof_lane *lane, uint64_t from, uint64_t to);

/* An outermost call ended now, or goes on. If there are too many they share what is theirs. */
void prof_add_root(struct prof_lane *lane, const struct prof_frame *frame, uint64_t time);

/* ---- Throttle ---- */

/* More than so many calls, of less own time than this on average: not worth their probes. */
struct prof_limit {
    uint64_t calls;
    double own_ns;
};

#define PROF_MAX_LIMITS 4u

/* What methods are judged by. A unit may be longer than a call, so all but times of many is in
 * ns. */
struct prof_judge {
    struct prof_limit limits[PROF_MAX_LIMITS];
    uint32_t limit_count;
    double ns_per_unit;
    double probe_ns;    /* what the probes of a call take of its own time */
    double cost_ns;     /* what they, and whoever reads their records, take of the program's */
    uint64_t run_units; /* since the program began */
};

/* Is this the time to mute the method? The calls since this was last asked are judged: what methods
 * are like cold is not a measure. A method below which the run spends much of its time is spared
 * while its probes take next to nothing of that; and one that has caught an exception meanwhile:
 * its catch alone tells when the calls ended that the exception left. */
bool prof_is_cheap(struct prof_method *method, const struct prof_judge *judge);

/* Its probes fall silent now: its calls that are open end with the next record of their thread. */
void prof_mute(struct prof_tree *tree, uint32_t id, uint64_t now);

#endif
