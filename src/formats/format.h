/* The formats that a report can be written in: one file each, in one table. Pure functions of
 * their input. And what several of them say. */

#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include "answer/facts.h"
#include "base/json.h"

/* What people see on request only. */
enum format_detail {
    FORMAT_THREADS = 1, /* each thread with its methods */
    FORMAT_STACKS = 2,  /* of all slow messages that top allows */
    FORMAT_MUTED = 4,   /* methods that were muted */
    FORMAT_TRUST = 8,   /* how far to trust it, in full */
    FORMAT_NAMES = 16,  /* names in full, though lines of words have columns */
};

/* What the numbers of folded stacks are, and what text has a table of. */
enum format_weight {
    FORMAT_WEIGHT_NS,    /* own time */
    FORMAT_WEIGHT_AWAKE, /* and of all formats what of it counts: ANSWER_AWAKE, */
    FORMAT_WEIGHT_CPU,   /* ANSWER_CPU */
    FORMAT_WEIGHT_CALLS,
};

/* What the reader asked for; formats take of it what they have a use for. */
struct format_look {
    size_t top; /* rows of a table; chains of callers, of formats that take these: 0: all */
    bool colour;
    size_t columns;   /* of a line; 0: names in full, whatever their length */
    unsigned details; /* enum format_detail, several */
    enum format_weight weight;
    const struct answer_facts *old; /* what to compare with; or NULL */
};

/* Begin comes before the first thread, thread before its calls, some whole outermost calls at a
 * time (formats/writer.h); NULL where the format does not need it. Until the end there are no facts
 * but the process, clock and names, and threads have no results yet. */
struct format_writer;
struct answer_trace;
struct format {
    const char *name;
    const char *extension;       /* of its files, with the dot */
    const char *other_extension; /* by which it is known too; or NULL */
    bool is_binary;              /* nothing for a terminal */
    bool wants_calls;  /* each with its own times; else equal ones in a row come as one item */
    bool takes_issues; /* shows what monitors told */
    bool takes_stacks; /* top is of chains of callers */
    bool has_files;    /* one for each thread, where there is a folder for them */
    size_t state_size; /* of a writer's state */
    /* A pass over the same calls before all others, with the same state; or NULL. */
    const struct format *survey;
    void (*begin)(struct format_writer *writer);
    void (*thread)(struct format_writer *writer, const struct answer_thread *thread);
    void (*calls)(struct format_writer *writer, const struct answer_thread *thread,
                  const struct trace_stack *stack);
    void (*end)(struct format_writer *writer);
    void (*finish)(struct format_writer *writer); /* frees what state owns, also after a failure */
    /* In place of all of them: writes the trace itself, which no model is made of. */
    enum mb_status (*put_trace)(struct format_writer *writer, const struct answer_trace *trace,
                                const char *thread, struct mb_error *err);
};

#define FORMAT(name, ...) extern const struct format format_##name;
#define FORMAT_MISSING(name, reason)
#include "formats/formats.def"
#undef FORMAT_MISSING
#undef FORMAT

/* NULL if absent. */
const struct format *format_find(const char *name);

/* Why a format of this name is not there although there are programs that have it; NULL if none
 * has. */
const char *format_why_missing(const char *name);

/* The one with the longest extension that the path ends with; NULL if absent. */
const struct format *format_find_extension(const char *path);

/* All formats by number, from 0; NULL after the last. */
const struct format *format_at(size_t number);

/* What each is for, in a line. */
const char *format_help_at(size_t number);

/* ---- Whom a trace comes from (abi/identity.h) ---- */

/* The member "app"; nothing where it is not known. */
void format_put_identity(struct mb_json *json, struct mb_text app);

/* ", com.acme 5.2, Anvil 3, Android 33": what of it is known, by the function that puts texts. */
void format_say_identity(struct mb_buf *out, struct mb_text app,
                         void (*put)(struct mb_buf *out, struct mb_text text));

#endif
