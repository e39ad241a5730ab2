/* For people, at two in the morning: the answer, the way to it, what costs most and how far to
 * trust it; details on request. */

#include "formats/text.h"

#include "answer/cost.h"
#include "answer/diff.h"
#include "answer/headline.h"
#include "answer/trust.h"
#include "formats/format.h"
#include "formats/writer.h"

#include <inttypes.h>

#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"

/* A name is on a line of its own, with the period. */
static struct answer_voice voice_of(const struct answer_names *names,
                                    const struct format_look *look)
{
    return (struct answer_voice){.names = names, .room = format_room(look, 1)};
}

/* What people read first, in one paragraph. Finishes the findings. */
static void put_lead(struct answer_findings *findings, const struct answer_names *names,
                     const struct format_look *look, struct mb_buf *out)
{
    const struct answer_voice voice = voice_of(names, look);
    struct mb_buf text = {0};

    answer_put_sentences(&text, findings, &voice);
    mb_buf_put_string(out, look->colour ? BOLD : "");
    format_put_paragraph(look, out, &text);
    mb_buf_put_string(out, look->colour ? PLAIN : "");
    mb_buf_finish(&text);
    answer_findings_finish(findings);
}

static void put_headline(const struct answer_facts *facts, const struct format_look *look,
                         const struct answer_lead *lead, struct mb_buf *out)
{
    struct answer_findings findings = {0};

    answer_find_headline(&findings, facts, lead);
    put_lead(&findings, &facts->methods.names, look, out);
}

/* A comparison first says whether anything changed. */
static void put_verdict(const struct answer_facts *facts, const struct format_look *look,
                        struct mb_buf *out)
{
    struct answer_diff diff = {0};
    struct answer_findings findings = {0};

    answer_diff_make(&diff, look->old, facts);
    answer_find_verdict(&findings, &diff);
    put_lead(&findings, &facts->methods.names, look, out);
    mb_buf_put_u1(out, '\n');
    mb_buf_fail_with(out, &diff.pairs.buf);
    answer_diff_finish(&diff);
}

/* A line, or all that there is to say. */
static void put_trust(const struct answer_facts *facts, const struct format_look *look,
                      struct mb_buf *out)
{
    const struct answer_voice voice = voice_of(&facts->methods.names, look);
    struct answer_findings findings = {0};
    struct mb_buf text = {0};

    if (look->details & FORMAT_TRUST) {
        format_put_heading(look, out, "How far to trust this");
        answer_find_trust(&findings, facts);
        format_put_findings(look, out, &findings, &voice);
    } else {
        mb_buf_put_string(&text, answer_words(answer_find_summary(&findings, facts)));
        mb_buf_put_u1(&text, ' ');
        answer_put_sentences(&text, &findings, &voice);
        mb_buf_put_string(&text, " More: --show=trust");
        mb_buf_put_u1(out, '\n');
        format_put_paragraph(look, out, &text);
    }
    mb_buf_finish(&text);
    answer_findings_finish(&findings);
}

static void put_process(const struct answer_process *process, struct mb_buf *out)
{
    mb_buf_put_u1(out, '(');
    mb_buf_put_printable(out, process->name);
    mb_buf_printf(out, ", pid %" PRIu32, process->id);
    format_say_identity(out, process->app, mb_buf_put_printable);
    mb_buf_put_string(out, ")\n");
}

/* What costs, and where it waits. */
static void put_costs(const struct answer_facts *facts, const struct format_look *look,
                      const struct answer_lead *lead, struct mb_buf *out)
{
    format_put_path(&facts->methods, look, &lead->path, out);
    format_put_costs(facts, look, out);
    format_put_waiting(facts, look, out);
    format_put_blocks(&facts->blocks, &facts->methods.names, look, out);
}

static void put_details(const struct answer_facts *facts, const struct format_look *look,
                        const struct answer_lead *lead, struct mb_buf *out)
{
    format_put_pools(&facts->threads, look, &lead->pools, out);
    if (facts->recording.has_messages || facts->requests.count == 0) {
        format_put_slow(&facts->recording, &facts->messages, &facts->clock, &facts->methods, look,
                        out);
    }
    if (look->weight == FORMAT_WEIGHT_CALLS) {
        format_put_calls(facts, look, out);
    }
    if (look->details & FORMAT_THREADS) {
        format_put_threads(facts, look, out);
    }
}

static void put_report(struct format_writer *writer)
{
    const struct answer_facts *facts = writer->facts;
    const struct format_look *look = &writer->look;
    struct mb_buf *out = &writer->out;
    struct mb_buf tables = {0};
    struct answer_lead lead = {0};

    if (look->details & FORMAT_MUTED) {
        format_put_muted(facts, look, out);
        return;
    }
    answer_lead_find(&lead, &facts->recording, &facts->clock, &facts->threads);
    if (look->old != NULL) {
        put_verdict(facts, look, out);
    }
    put_headline(facts, look, &lead, out);
    put_process(&facts->process, out);
    if (look->old != NULL) {
        format_put_diff(facts, look, out);
    }
    format_put_requests(&facts->requests, &facts->methods.names, look, out);
    put_costs(facts, look, &lead, &tables);
    size_t costs_size = tables.size;
    put_details(facts, look, &lead, &tables);
    mb_buf_put_u1(&tables, 0);
    if (!tables.failed) {
        mb_buf_put(out, tables.bytes, costs_size);
        format_put_legend(look, (const char *)tables.bytes, out);
        put_trust(facts, look, out);
        mb_buf_put(out, tables.bytes + costs_size, tables.size - costs_size - 1);
    }
    if (answer_costs_much(&facts->clock, &facts->threads)) {
        format_put_heading(look, out,
                           "Less overhead: methodbeat tune lists what costs most to record");
    }
    mb_buf_finish_part(out, &tables);
    mb_buf_fail_with(out, &lead.pools.buf);
    answer_lead_finish(&lead);
}

const struct format format_text = {
    .name = "text",
    .extension = ".txt",
    .end = put_report,
};
