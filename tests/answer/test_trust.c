#include "sample.h"

#include "answer/trust.h"
#include "formats/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static char said[4096];

static const char *write_trust(const struct answer_facts *facts)
{
    static const struct format_look plain;
    const struct answer_voice voice = {.names = &facts->methods.names};
    struct answer_findings findings = {0};
    struct mb_buf out = {0};

    answer_find_trust(&findings, facts);
    format_put_findings(&plain, &out, &findings, &voice);
    answer_findings_finish(&findings);
    cr_assert(lt(sz, out.size, sizeof(said)));
    memcpy(said, out.bytes, out.size);
    said[out.size] = '\0';
    mb_buf_finish(&out);
    return said;
}

static void expect_said(const char *part, bool is_there)
{
    cr_expect(eq(int, strstr(said, part) != NULL, is_there), "'%s' in:\n%s", part, said);
}

Test(trust, what_is_whole_is_said_to_be)
{
    static const struct answer_thread threads[] = {
        {.name = MB_TEXT_ROW("main"), .is_main = true, .calls = 9, .time.end_ns = 5000000000},
        {.name = MB_TEXT_ROW("other"), .calls = 1, .time.end_ns = 100},
    };
    struct answer_facts facts = sample_report;

    facts.threads.rows = threads;
    facts.threads.count = 2;
    facts.recording.note_count = 0;
    facts.recording.is_closed = true;
    cr_expect_str_eq(
        write_trust(&facts),

        "  coverage   everything: 10 calls in 5.00 s\n"
        "  overhead   probes took about 0 ns, 0.0 % of the time here (10 ns per record); "
        "the code around them cost other programs 5 to 60 % more CPU time\n");
}

/* Samples beside probes would tell what was called meanwhile; those that fill gaps do not. */
Test(trust, waits_without_samples_are_vague)
{
    static const struct trace_method methods[] = {{.id = 1, .calls = 1, .self = 9, .waited = 8},
                                                  {.id = 2, .calls = 1, .self = 9}};
    struct answer_facts facts = sample_report;

    facts.methods.rows = methods;
    facts.methods.count = 2;
    write_trust(&facts);
    expect_said("in 1 method threads were mostly asleep", true);
    facts.counted = ANSWER_CPU;
    write_trust(&facts);
    expect_said("that is a guess: see --sample", true);
    facts.sampling = (struct answer_sampling){.is_known = true, .engine = "x"};
    write_trust(&facts);
    expect_said("asleep", false);
    expect_said("guess", false);
    facts.sampling.is_of_gaps = true;
    write_trust(&facts);
    expect_said("in 1 method threads were mostly asleep", true);
}

static const char *write_summary(const struct answer_facts *facts)
{
    const struct answer_voice voice = {.names = &facts->methods.names};
    struct answer_findings findings = {0};
    struct mb_buf out = {0};

    mb_buf_put_string(&out, answer_words(answer_find_summary(&findings, facts)));
    mb_buf_put_u1(&out, ' ');
    answer_put_sentences(&out, &findings, &voice);
    mb_buf_put_u1(&out, 0);
    answer_findings_finish(&findings);
    cr_assert(lt(sz, out.size, sizeof(said)));
    memcpy(said, out.bytes, out.size);
    mb_buf_finish(&out);
    return said;
}

/* Samples are no calls, and cost no probes. */
Test(trust, a_line_says_what_was_recorded)
{
    static const struct answer_losses losses = {.read.words = 20};
    static const struct answer_losses cut = {.missing_words = 1};
    struct answer_thread threads[] = {
        {.name = MB_TEXT_ROW("main"), .calls = 9, .time.end_ns = 5000000000, .losses = &losses},
        {.name = MB_TEXT_ROW("other"), .calls = 1, .time.end_ns = 100},
    };
    struct answer_facts facts = {.threads = {.rows = threads, .count = 2},
                                 .recording.is_closed = true};

    cr_expect_str_eq(write_summary(&facts),
                     "Complete. 10 calls in 5.00 s on 2 threads; probes took ~200 ns.");
    facts.methods.mute_count = 1;
    cr_expect(eq(int, strncmp(write_summary(&facts), "Some methods were muted. ", 25), 0));
    facts.recording.is_closed = false;
    cr_expect(eq(int, strncmp(write_summary(&facts), "The end of the run is missing. ", 31), 0));
    facts.recording.refused_words = 1;
    cr_expect(eq(int, strncmp(write_summary(&facts), "Parts are missing. ", 19), 0));
    facts.recording.refused_words = 0;
    facts.sampling.left_out = 1;
    cr_expect(eq(int, strncmp(write_summary(&facts), "Parts are missing. ", 19), 0));
    threads[1].losses = &cut;
    cr_expect(eq(int, strncmp(write_summary(&facts), "The trace is damaged. ", 22), 0));
}

Test(trust, a_line_tells_samples_from_calls)
{
    static const struct answer_losses losses = {.read.words = 20};
    static const struct answer_seen seen = {.stacks = 500};
    struct answer_thread thread = {
        .name = MB_TEXT_ROW("main"), .seen = &seen, .time.end_ns = 5000000000};
    const struct answer_facts facts = {
        .threads = {.rows = &thread, .count = 1},
        .recording.is_closed = true,
        .sampling = {.is_known = true, .taken = 500, .target_ns = 7000000}};

    cr_expect_str_eq(write_summary(&facts), "Estimates from samples. 500 stacks in 5.00 s on 1 "
                                            "thread; sampling took 7.00 ms.");
    thread.losses = &losses;
    thread.calls = 1;
    cr_expect_str_eq(write_summary(&facts),
                     "Complete. 1 call and 500 stacks in 5.00 s on 1 thread; "
                     "probes took ~200 ns, sampling took 7.00 ms.");
}

Test(trust, every_gap_names_its_setting)
{
    static const struct answer_losses losses = {.lapped_words = 1570000000,
                                                .missing_words = 1,
                                                .exact_words = 12,
                                                .read = {.words = 40,
                                                         .lost_entries = 1,
                                                         .lost_exits = 2,
                                                         .inferred_exits = 6,
                                                         .time_went_back = 1,
                                                         .open_calls = 3}};
    static const struct answer_thread threads[] = {
        {.name = MB_TEXT_ROW("main"),
         .is_main = true,
         .calls = 9,
         .losses = &losses,
         .time.start_ns = 17690000000,
         .time.end_ns = 17700000000,
         .time.ring_start_ns = 17690000000,
         .time.ring_end_ns = 17700000000},
    };
    struct answer_facts facts = sample_report;

    sample_look.columns = 0;
    facts.threads.rows = threads;
    facts.recording.recycled_words = 2;
    (void)write_trust(&facts);
    expect_said("the ring of main has only the last 10.0 ms of 17.7 s: 1.57 G older records were "
                "overwritten (words keeps more)\n",
                true);
    expect_said("only the main thread was recorded, not what it waited for (threads=all", true);
    expect_said(
        "2 records of ended threads are missing, as their rings were reused (raise max_threads)\n",
        true);
    expect_said("1 record missing at the end of the file\n", true);
    expect_said("1 exit without entry", true);
    expect_said("2 calls without exit: left out", true);
    expect_said("inferred   6 calls left by an exception", true);
    expect_said("1 call with an end before the start\n", true);
    expect_said("3 calls were still running at the end, counted until then", true);
    expect_said("not closed: the program still records, or was killed\n", true);
    expect_said("note       names are from something \"odd\"\n", true);
    expect_said("clock ", false);
    facts.recording.refused_words = 3;
    facts.clock.is_coarse = true;
    facts.clock.resolution_ns = 5000000;
    (void)write_trust(&facts);
    expect_said(
        "3 records of threads that got no ring are missing (raise max_threads or max_bytes)\n",
        true);
    expect_said("only the main thread", false);
    expect_said(
        "clock      exact for 30.0 % of the records, else right to 5.00 ms; a smaller tick_ms "
        "is finer\n",
        true);
    facts.clock.busy_ticks = 300;
    (void)write_trust(&facts);
    expect_said(
        "else right to 5.00 ms (the busiest thread made more than have exact times for 1.50 "
        "s); a",
        true);
    facts.clock.is_exact = true;
    (void)write_trust(&facts);
    expect_said("clock ", false);
}

Test(trust, what_befell_classes_is_told_where_it_is_known)
{
    struct answer_facts facts = sample_report;

    sample_look.columns = 0;
    (void)write_trust(&facts);
    expect_said("\n  probes ", false);
    facts.recording.weaving = (struct answer_weaving){
        true, {[ABI_WEAVING_CLASSES] = 2000, [ABI_WEAVING_DAMAGED] = 2, [ABI_WEAVING_REFUSED] = 1}};
    (void)write_trust(&facts);
    expect_said("probes     3 of 2003 classes have no probes, so their time is in the own time of "
                "their callers: 2 cannot be read, 1 refused by the JVM\n",
                true);
    expect_said("inside", false);
    facts.recording.weaving = (struct answer_weaving){
        true, {[ABI_WEAVING_METHODS] = 1, [ABI_WEAVING_THREADS] = 1, [ABI_WEAVING_INSIDE] = 4}};
    (void)write_trust(&facts);
    expect_said("classes have", false);
    expect_said("1 method without probes, which would make its code too large\n", true);
    expect_said("4 calls on 1 thread were already running when probes were inserted: they are not "
                "recorded, their callees are\n",
                true);
}

/* What rings have lost is in the profile; what that has lost is said, with what cures it. */
Test(trust, a_profile_is_told_with_its_gaps)
{
    struct answer_losses losses[] = {{.lapped_words = 1569000000, .read.words = 1570000000},
                                     {.read.words = 2}};
    const struct answer_thread threads[] = {
        {.name = MB_TEXT_ROW("main"),
         .is_main = true,
         .is_profiled = true,
         .calls = 785000000,
         .losses = &losses[0],
         .time.end_ns = 17700000000,
         .time.ring_start_ns = 17690000000,
         .time.ring_end_ns = 17700000000},
        {.name = MB_TEXT_ROW("other"),
         .is_profiled = true,
         .calls = 1,
         .losses = &losses[1],
         .time.end_ns = 5},
    };
    static const struct answer_mute mutes[] = {{.id = 1, .calls = 120000},
                                               {.id = 2, .calls = 100000},
                                               {.id = 3, .was_before = true},
                                               {.id = 4, .calls = 2048, .is_budget = true}};
    struct answer_facts facts = sample_report;

    sample_look.columns = 0;
    facts.threads.rows = threads;
    facts.threads.count = 2;
    facts.recording.has_profile = true;
    (void)write_trust(&facts);
    expect_said(
        "  coverage   everything: 785 M calls in 17.7 s\n"
        "  coverage   the ring of main has only the last 10.0 ms of 17.7 s, for slow calls and "
        "records: 1.56 G older records were overwritten (words keeps more)\n",
        true);
    expect_said("not seen", false);
    expect_said("muted", false);
    losses[1].unseen_words = 1570000000;
    facts.recording.absorbed_calls = 785000000;
    facts.methods.mutes = mutes;
    facts.methods.mute_count = 4;
    (void)write_trust(&facts);
    expect_said("1 method muted to stay within the budget, those of the shortest calls first",
                true);
    expect_said("all but what follows: 785 M calls", true);
    expect_said("1.57 G of 3.14 G records (50.0 %) were overwritten before the profile read them",
                true);
    expect_said(
        "  no room    785 M calls (50.0 %) found the profile full: they are not counted, and their "
        "time is in the own time of their callers (raise profile)\n",
        true);
    expect_said(
        "2 methods muted by the throttle after 100 k or more calls, marked ~: later time is "
        "in the own time of callers, marked ^ where they called much (--show=muted lists them",
        true);
    expect_said("1 method muted since before this recording: ", true);
    facts.sampling.is_known = true;
    facts.sampling.engine = "signals";
    (void)write_trust(&facts);
    expect_said("marked ~: later time is known from samples (--show=muted", true);
}

Test(trust, inferred_time_names_methods_and_cure)
{
    static const struct trace_method methods[] = {
        {.id = 1, .total = 1000, .inferred = 9},  {.id = 2, .total = 400, .inferred = 300},
        {.id = 3, .total = 500, .inferred = 500}, {.id = 4, .total = 300, .inferred = 300},
        {.id = 5, .total = 200, .inferred = 200},
    };
    static const struct answer_losses losses = {.read.inferred_exits = 7};
    static const struct answer_thread threads[] = {
        {.name = MB_TEXT_ROW("main"), .losses = &losses}};
    struct answer_facts facts = sample_report;

    sample_look.columns = 0;
    facts.threads.rows = threads;
    facts.methods.rows = methods;
    facts.methods.count = MB_COUNT(methods);
    (void)write_trust(&facts);
    expect_said("rows marked ?n% may overstate their total by up to n %, most in #3 (1.00 s), d.E "
                "(600 ms), #4 (600 ms) (use --exceptions=finally, ",
                true);
    facts.methods.count = 1;
    (void)write_trust(&facts);
    expect_said("inferred   7 calls left by", true);
    expect_said("marked ?n%", false);
}
