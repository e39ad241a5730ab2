/* What recording has cost, roughly. */

#ifndef ANSWER_COST_H
#define ANSWER_COST_H

#include "answer/facts.h"
#include "answer/finding.h"

/* A record with the clock that was used, as it was measured once; or in the recording, if that
 * never found the recorder's own code compiled. */
uint64_t answer_record_ns(const struct answer_clock *clock);

/* What the probes of one call cost once they are compiled, if they ever are, in ns: with the finer
 * clock 2.5 times what the cheapest of the methods that call no other take, which is next to
 * nothing but probes; two records where no method has calls enough to tell. */
double answer_probe_ns(const struct answer_clock *clock, const struct answer_threads *threads);

/* Code with probes is larger, and takes a JVM longer to compile: so much more CPU time programs
 * took (tests/bench/programs, and the Scala compiler), probes included. No trace tells of it. */
#define ANSWER_CODE_LEAST_PERCENT 5
#define ANSWER_CODE_MOST_PERCENT 60

/* What calling the probes took. All records, also those of a time that the facts lack; and
 * those of the time that they have. */
int64_t answer_overhead_ns(const struct answer_clock *clock, const struct answer_threads *threads);
int64_t answer_shown_overhead_ns(const struct answer_clock *clock,
                                 const struct answer_threads *threads);

void answer_find_overhead(struct answer_findings *findings, const struct answer_clock *clock,
                          const struct answer_threads *threads);

/* It was more than a tenth of the work that is in the report. */
bool answer_costs_much(const struct answer_clock *clock, const struct answer_threads *threads);

#endif
