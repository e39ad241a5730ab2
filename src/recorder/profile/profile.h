/* Turns the words of many threads, portion by portion, into the profile of abi/profile.h. The
 * process may be killed at any moment. No state besides the arguments. One thread at a time for
 * one tree. */

#ifndef RECORDER_PROFILE_PROFILE_H
#define RECORDER_PROFILE_PROFILE_H

#include "abi/profile.h"
#include "abi/section.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prof_lengths;  /* recorder/profile/lengths.h */
struct prof_readings; /* recorder/profile/readings.h */

/* One method over all threads; what a throttle looks at. Times in units. */
struct prof_method {
    uint64_t calls; /* that have ended */
    uint64_t total; /* of those that were not within another of it */
    uint64_t own;
    uint64_t muted_since; /* time + 1; 0: it is not */
    uint32_t newest_node; /* + 1; 0 if absent */
    bool has_caught;      /* since its evidence began */
    uint8_t role;         /* recorder/profile/requests.c, */
    uint8_t kind;         /* number of its kind of requests, from 1; 0: none */
    /* The evidence that it is judged by. */
    uint32_t exact_calls;   /* with exact times of all records in them, */
    uint32_t length;        /* recorder/profile/lengths.h */
    uint64_t exact_own;     /* what they did themselves, */
    uint64_t exact_squares; /* and the sum of its squares */
    uint64_t checked_calls; /* calls and own when the evidence began */
    uint64_t checked_own;
};

#define PROF_MAX_SUSPECTS 256u
#define PROF_MAX_KINDS 128u
#define PROF_MAX_SLOW 64u

/* Requests of a method. */
struct prof_kind {
    uint32_t id;
    uint32_t length; /* recorder/profile/lengths.h, of what they took on a processor */
    uint64_t ended;
    uint64_t late_count; /* of these, longer than prof_late says */
    uint64_t due;        /* the number of ended ones at which the limit is found anew */
    uint32_t limit;      /* the last bucket of lengths that is not slow; 0: not known yet */
};

/* Requests of the method are slow if they take longer; id is 0 if none are. */
struct prof_late {
    uint32_t id;
    uint64_t from;
};

/* A slow request, whose words may still be in its ring. */
struct prof_slow {
    uint32_t id;
    uint64_t first; /* positions of its words, */
    uint64_t end;   /* and after the last one */
    uint64_t start;
    uint64_t length;
    uint64_t ready; /* of that, its thread was without a processor, if that is known */
    uint64_t ran;   /* and on one, about */
    bool has_waited;
    bool knows_ready;
};

/* The nodes of all threads. */
struct prof_tree {
    struct abi_trace_section *section;
    struct abi_profile_node *nodes;
    uint32_t room;     /* nodes for which there are the tables below */
    uint32_t capacity; /* nodes that have memory; may grow */
    uint32_t slot_mask;
    uint32_t used_slots;                  /* of at least twice as many, while there is memory */
    struct prof_slot *slots;              /* where the child of a node is */
    uint32_t *next;                       /* [place]: see prof_follow (recorder/profile/tree.h) */
    uint32_t *older;                      /* [node] = one of its method that is older, + 1 */
    struct prof_fold *folds;              /* [node] (recorder/profile/tree.c) */
    uint32_t first_fold;                  /* the first of those to be settled, + 1 */
    uint64_t settled;                     /* the time of folded calls until then is in the nodes */
    struct prof_method *methods;          /* [id] */
    uint32_t suspects[PROF_MAX_SUSPECTS]; /* methods with many calls since the last look */
    uint32_t suspect_count;
    uint64_t words;               /* that were fed */
    struct prof_lengths *lengths; /* NULL: they are not kept */
    struct prof_kind kinds[PROF_MAX_KINDS];
    uint32_t kind_count;
    bool has_chosen;    /* prof_choose_request */
    uint64_t slow_from; /* requests are slow from this length on; 0: by the lengths of their kind */
    struct prof_late late; /* of a kind, if slow_from is 0 */
    uint32_t slow_count;   /* since the caller took them */
    struct prof_slow slow[PROF_MAX_SLOW];
};

/* Nodes go to records of section, which are zeroed and have room for section->capacity. False
 * without memory; finish also then. capacity is 0 until the caller sets it. */
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
    uint32_t outer; /* place, from 1, of the next open call of its method around it; 0 if none */
    uint32_t slot;  /* in open */
};

/* The newest open call of a method. */
struct prof_open {
    uint32_t id;
    uint32_t place; /* from 1; 0: the slot is free */
};

#define PROF_STRETCHES 8u

/* What a call did itself without a word in between, since usage was last added. */
struct prof_stretch {
    uint32_t node;
    uint64_t length;
    uint64_t vague; /* of those that may be a tick of the clock only */
};

/* Waiting that was counted since the thread last ran: part of it may turn out to be readiness. */
struct prof_told {
    uint64_t row_waited;
    uint64_t node_waited;
    uint64_t idle; /* all of it, in calls or not */
    uint32_t node; /* of the call that is open, or ABI_PROFILE_NO_NODE */
};

/* An open request. */
struct prof_asked {
    uint32_t node;  /* + 1; 0 if none is open */
    uint64_t first; /* position of its entry */
};

/* What the thread itself reads before the first and last words of requests. */
struct prof_timed {
    const struct prof_readings *readings; /* NULL: nothing */
    uint32_t claim;                       /* of those that are its own */
    uint64_t ns_per_unit;                 /* abi/tracefile.h */
};

struct prof_lane {
    struct abi_profile_thread *row;
    uint32_t row_index;
    uint32_t depth;
    uint32_t room;
    uint32_t doubtful;         /* number of calls opened before the gap */
    uint32_t cut_count;        /* calls closed by ABI_PROFILE_DEPTH whose exit may come */
    uint32_t message;          /* depth of the open message, from 1; 0 if none */
    uint32_t place;            /* after the last word: see prof_follow (recorder/profile/tree.h) */
    struct prof_asked request; /* the one that is open */
    /* Of the present word in its ring. Set by the caller before it feeds words. */
    uint64_t position;
    bool catches;   /* the last word said that the next is a catch */
    bool has_begun; /* first_time of the row is set */
    bool has_gap;   /* words are missing before the next */
    /* Records with exact times after each step of the coarse clock, at least; UINT32_MAX: all. Set
     * by the caller before it feeds words. */
    uint32_t exact_words;
    uint32_t exact_left; /* records of this step that are still exact */
    uint64_t exact_from; /* calls since then have exact times; UINT64_MAX: the clock stands still */
    struct prof_frame *frames;
    uint64_t time;               /* of the last word */
    uint64_t shared_time;        /* when usage was last added; since then: */
    uint64_t inside;             /* time in outermost calls */
    bool was_inside;             /* there was such a call, if short */
    uint64_t elsewhere;          /* stretches outside of calls, or without room in the table */
    uint64_t elsewhere_parts[3]; /* what they worked, were ready and waited, of all the run */
    uint64_t stretch;        /* between two words, to be told apart: longer than this; 0: none is */
    uint64_t tick;           /* how late the last one may be while the clock stands still */
    struct prof_timed timed; /* set by the caller */
    struct prof_told told;
    uint32_t stretch_count;
    struct prof_stretch stretches[PROF_STRETCHES];
    struct prof_open
        *open; /* hash table by id, twice as large as room; what came last goes first */
};

/* A new thread, whose calls go to row number row_index. False without memory; finish also then. */
bool prof_lane_init(struct prof_lane *lane, struct abi_profile_thread *row, uint32_t row_index);

/* Does not close open calls: they stay open in the nodes. */
void prof_lane_finish(struct prof_lane *lane);

/* Feed the next words of the thread, oldest first. now: the full 64-bit time, read after the
 * words. The tree should have room for as many nodes as words; the time of calls without a node
 * is their callers' own. */
void prof_feed(struct prof_tree *tree, struct prof_lane *lane, const uint64_t *words, size_t count,
               uint64_t now);

/* Bring own times up to now for open folded calls of all threads. Linear in the nodes with such
 * calls, however high the stacks. */
void prof_settle(struct prof_tree *tree, uint64_t now);

/* Words are missing here. Open calls stay open until a record shows that they have ended: an
 * exit around them, or an entry of a method that has been called around them but never by them. */
void prof_skip(struct prof_lane *lane, uint64_t lost_words);

/* The thread has ended: close its open calls at its last word. */
void prof_end(struct prof_tree *tree, struct prof_lane *lane);

/* ---- Requests (requests.c) ---- */

/* Calls of this method are requests, and of no other that is not chosen: from their first one on
 * where the method was not called yet. */
void prof_choose_request(struct prof_tree *tree, uint32_t id);

/* True if calls of the node are requests from the first on: of a chosen method, which are in no
 * other, or else messages of a kind. */
bool prof_is_chosen(const struct prof_tree *tree, uint32_t node);

/* Flag the nodes whose calls are requests, and the bodies of threads above them, which have run
 * since then at the latest: README.md. rows are those of the lanes. Linear in the nodes. */
void prof_find_requests(struct prof_tree *tree, const struct abi_profile_thread *rows,
                        uint64_t since);

/* The request in the node ends, at the present word. Counts its length; if it is slow, it is put
 * into tree->slow. */
void prof_end_request(struct prof_tree *tree, struct prof_lane *lane,
                      const struct prof_frame *frame, uint64_t length);

/* ---- What the system knows of the thread (usage.c) ---- */

/* Usage since the last report, in units except for cpu_ns. */
struct prof_usage {
    uint64_t now;    /* all words until then have been fed */
    uint64_t cpu_ns; /* CPU time, */
    uint64_t worked; /* the same in units */
    uint64_t ready;  /* without one, though it could have run */
    uint64_t slack;  /* what times may be wrong by */
    bool knows_ready;
};

/* Tell row and nodes what of their time was work, readiness and waiting. */
void prof_add_usage(struct prof_tree *tree, struct prof_lane *lane, const struct prof_usage *usage);

/* No word was stored in between, by the newest open call or outside of all. */
void prof_add_stretch(struct prof_lane *lane, uint64_t from, uint64_t to);

/* An outermost call ends or goes on. */
void prof_add_inside(struct prof_lane *lane, uint64_t from, uint64_t to);

/* ---- Throttle ---- */

/* What a throttle judges by. Evidence are calls with exact times, and the steps of the coarse clock
 * that fell into calls: few, so it takes many calls until they carry a verdict. */
struct prof_judge {
    double ns_per_unit;
    double step_ns;     /* of the coarse clock; 0: all times are exact */
    double probe_ns;    /* what the probes of a call take of its own time */
    double cost_ns;     /* what they take of the program's time, with the reader of their records */
    double least_ns;    /* own time of a call that is worth its cost */
    uint64_t run_units; /* since the program began */
};

enum prof_verdict {
    PROF_UNSURE, /* the evidence does not carry a verdict: more calls have to be exact */
    PROF_WORTH,  /* keep its probes */
    PROF_CHEAP,  /* mute it */
};

/* Judges a method. Once its evidence has carried a verdict and its calls have doubled, it begins
 * anew, so that slow calls before compilation do not count for long. Spares methods that contain
 * much of the run while their probes cost little, and methods that have caught an exception since:
 * only their catch records show when the calls ended that the exception left. */
enum prof_verdict prof_judge_method(struct prof_method *method, const struct prof_judge *judge);

/* The method is muted now: its open calls end with the next record of their thread. */
void prof_mute(struct prof_tree *tree, uint32_t id, uint64_t now);

#endif
