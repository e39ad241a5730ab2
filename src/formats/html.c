/* A page that people look at: one file, readable without JavaScript and without a network. */

#include "formats/html.h"

#include "answer/headline.h"
#include "answer/trust.h"
#include "base/clock.h"
#include "formats/format.h"
#include "formats/html_calls.h"
#include "formats/writer.h"

#include <inttypes.h>

/* ---- How far to trust the page ---- */

static void put_list(const struct answer_facts *facts, const struct answer_voice *voice,
                     struct mb_buf *out)
{
    struct answer_findings findings = {0};
    const struct answer_finding *finding = NULL;

    answer_find_trust(&findings, facts);
    while ((finding = answer_next_finding(&findings, finding)) != NULL) {
        mb_buf_printf(out, "<div><dt>%s</dt><dd>", answer_topic(finding->kind));
        answer_put_sentence(out, finding, voice);
        mb_buf_put_string(out, "</dd></div>\n");
    }
    mb_buf_fail_with(out, &findings.rows.buf);
    answer_findings_finish(&findings);
}

/* A word and a sentence that are always there, the rest on request. */
static void put_trust(const struct answer_facts *facts, struct mb_buf *out)
{
    const struct answer_voice voice = {.names = &facts->methods.names, .put = format_html_piece};
    struct answer_findings findings = {0};
    enum answer_kind level = answer_find_summary(&findings, facts);
    bool is_whole = level == ANSWER_KIND_TRUST_WHOLE || level == ANSWER_KIND_TRUST_SAMPLED;
    bool is_damaged = level == ANSWER_KIND_TRUST_DAMAGED;

    mb_buf_printf(out,
                  "<section id=\"trust\"><details class=\"%s\"><summary><span class=\"mark\" "
                  "aria-hidden=\"true\">%s</span> <b>%s</b> ",
                  is_whole     ? "whole"
                  : is_damaged ? "damaged"
                               : "parts",
                  is_whole     ? "\xe2\x9c\x93"
                  : is_damaged ? "\xe2\x9c\x97"
                               : "!",
                  answer_words(level));
    answer_put_sentences(out, &findings, &voice);
    answer_findings_finish(&findings);
    mb_buf_put_string(out, "</summary>\n<dl>\n");
    put_list(facts, &voice, out);
    mb_buf_put_string(out, "</dl></details></section>\n");
}

/* ---- The page ---- */

/* What a page may do: show itself. A name in it that should become code is none of the two that
 * have these hashes. */
static void put_policy(struct mb_buf *out)
{
    mb_buf_printf(out,
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; "
                  "form-action 'none'\">\n",
                  format_page_style_hash, format_page_program_hash);
}

static void put_head(const struct answer_process *process, struct mb_buf *out)
{
    mb_buf_put_string(out,
                      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, "
                      "initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
    put_policy(out);
    mb_buf_put_string(out, "<title>");
    format_html_text(out, process->name);
    mb_buf_put_string(out, " - methodbeat</title>\n<style>");
    mb_buf_put(out, format_page_style, format_page_style_size);
    mb_buf_put_string(out, "</style>\n</head>\n");
}

/* Outermost calls stand in for messages where no requests are known. */
static bool has_slow(const struct answer_facts *facts)
{
    return facts->messages.slow_count > 0 &&
           (facts->recording.has_messages || facts->requests.count == 0);
}

static void put_top(const struct answer_facts *facts, bool has_changes, struct mb_buf *out)
{
    mb_buf_put_string(out, "<body>\n<header class=\"top\"><h1>");
    format_html_text(out, facts->process.name.size > 0 ? facts->process.name
                                                       : MB_TEXT("a program without a name"));
    mb_buf_put_string(out, "</h1>\n<nav aria-label=\"Parts\">");
    mb_buf_put_string(out, has_changes ? "<a href=\"#changes\">Changes</a> " : "");
    mb_buf_put_string(out, facts->requests.count > 0 ? "<a href=\"#requests\">Requests</a> " : "");
    mb_buf_put_string(out, has_slow(facts) ? "<a href=\"#slow\">Slow</a> " : "");
    mb_buf_put_string(out, facts->monitors.has_issues ? "<a href=\"#issues\">Issues</a> " : "");
    mb_buf_put_string(out,
                      facts->monitors.drawn_count > 0 ? "<a href=\"#frames\">Frames</a> " : "");
    mb_buf_put_string(out, facts->methods.count > 0 ? "<a href=\"#path\">Hot path</a> "
                                                      "<a href=\"#methods\">Methods</a> "
                                                    : "");
    mb_buf_put_string(out, facts->blocks.count > 0 ? "<a href=\"#waits\">Waits</a> " : "");
    mb_buf_put_string(out, facts->threads.count > 0 ? "<a href=\"#threads\">Threads</a> " : "");
    mb_buf_put_string(out, "<a href=\"#about\">About</a></nav></header>\n<main>\n");
}

static void put_answer(const struct answer_facts *facts, const struct answer_lead *lead,
                       struct mb_buf *out)
{
    const struct answer_voice voice = {.names = &facts->methods.names, .put = format_html_piece};
    struct answer_findings findings = {0};

    answer_find_headline(&findings, facts, lead);
    mb_buf_put_string(out, "<p class=\"lead\">");
    answer_put_sentences(out, &findings, &voice);
    mb_buf_printf(out, "</p>\n<p class=\"meta\">pid %" PRIu32, facts->process.id);
    format_say_identity(out, facts->process.app, format_html_text);
    if (facts->process.wall_start_ns > 0) {
        mb_buf_put_string(out, ", recorded ");
        format_html_date(facts->process.wall_start_ns / MB_NS_PER_MS, out);
    }
    if (facts->trace_path.size > 0) {
        mb_buf_put_string(out, ", from ");
        format_html_text(out, facts->trace_path);
    }
    mb_buf_put_string(out, "</p>\n");
    answer_findings_finish(&findings);
}

static void put_about(const struct answer_facts *facts, struct mb_buf *out)
{
    mb_buf_put_string(out, "</main>\n<footer id=\"about\"><p>Made by methodbeat " MB_VERSION
                           ". Nothing here was loaded from anywhere.");
    mb_buf_put_string(out, "</p>\n");
    if (facts->map_path.size > 0) {
        mb_buf_put_string(out, "<p>Names from ");
        format_html_text(out, facts->map_path);
        mb_buf_put_string(out, ".</p>\n");
    }
    mb_buf_put_string(out, "</footer>\n");
}

/* Hidden until the program shows it. */
static void put_chart(struct mb_buf *out)
{
    mb_buf_put_string(out, "<noscript><p class=\"note\">Without JavaScript there is no chart; all "
                           "else is here.</p></noscript>\n"
                           "<p id=\"chart-failed\" class=\"note\" hidden></p>\n");
    mb_buf_put(out, format_page_chart, format_page_chart_size);
}

static void put_parts(const struct answer_facts *facts, const struct answer_facts *old,
                      struct mb_buf *out)
{
    const uint64_t end_ns = answer_sum(&facts->threads).end_ns;
    struct answer_lead lead = {0};

    answer_lead_find(&lead, &facts->recording, &facts->clock, &facts->threads);
    if (old != NULL) {
        format_html_diff(old, facts, out);
    }
    put_answer(facts, &lead, out);
    put_trust(facts, out);
    if (facts->requests.count > 0) {
        format_html_requests(&facts->requests, &facts->clock, &facts->methods, out);
        format_html_points(&facts->requests, end_ns, out);
        mb_buf_put_string(out, "</section>\n");
    }
    if (facts->methods.count > 0) {
        put_chart(out);
    }
    if (has_slow(facts)) {
        format_html_slow(&facts->recording, &facts->messages, &facts->clock, &facts->methods, out);
    }
    if (facts->monitors.has_issues) {
        format_html_issues(&facts->monitors, &facts->process, end_ns, out);
    }
    if (facts->monitors.drawn_count > 0) {
        format_html_frames(&facts->monitors, &facts->process, end_ns, out);
    }
    if (facts->methods.count > 0) {
        format_html_path(&facts->methods, &lead.path, out);
        format_html_methods(&facts->clock, &facts->methods, out);
    }
    if (facts->blocks.count > 0) {
        format_html_waits(&facts->blocks, &facts->methods, out);
    }
    if (facts->threads.count > 0) {
        format_html_threads(&facts->threads, &lead.pools, out);
    }
    mb_buf_fail_with(out, &lead.pools.buf);
    answer_lead_finish(&lead);
}

/* Names are told in full: the window says what fits. */
static void put_page(struct format_writer *writer)
{
    const struct answer_facts *facts = writer->facts;
    const struct answer_facts *old = writer->look.old;
    struct mb_buf *out = &writer->out;

    put_head(&facts->process, out);
    put_top(facts, old != NULL, out);
    put_parts(facts, old, out);
    put_about(facts, out);
    if (facts->methods.count > 0) {
        const struct format_html_limits limits = FORMAT_HTML_LIMITS;
        format_html_put_data(writer->state, facts, limits, out);
        mb_buf_put_string(out, "<script>");
        mb_buf_put(out, format_page_program, format_page_program_size);
        mb_buf_put_string(out, "</script>\n");
    }
    mb_buf_put_string(out, "</body>\n</html>\n");
}

static void take_thread(struct format_writer *writer, const struct answer_thread *thread)
{
    format_html_calls_thread(writer->state, thread);
}

static void take_calls(struct format_writer *writer, const struct answer_thread *thread,
                       const struct trace_stack *stack)
{
    (void)thread;
    format_html_calls_add(writer->state, writer->clock, stack);
}

static void finish_calls(struct format_writer *writer)
{
    format_html_calls_finish(writer->state);
}

const struct format format_html = {
    .name = "html",
    .extension = ".html",
    .wants_calls = true,
    .takes_issues = true,
    .state_size = sizeof(struct format_html_calls),
    .thread = take_thread,
    .calls = take_calls,
    .end = put_page,
    .finish = finish_calls,
};
