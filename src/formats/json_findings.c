/* What changed, and what there is to say. */

#include "formats/json.h"

#include "answer/diff.h"
#include "answer/headline.h"
#include "answer/trust.h"

#include <stdio.h>

static void put_percent(struct mb_json *json, const char *key, double percent)
{
    mb_json_key(json, key);
    mb_buf_printf(json->out, "%.1f", percent);
}

/* ---- What changed ---- */

static void put_change(const struct answer_change *change, const char *name, int64_t old,
                       int64_t new, struct mb_json *json)
{
    mb_json_open(json, name, "{");
    mb_json_number(json, "wasNs", old);
    mb_json_number(json, "isNs", new);
    mb_json_number(json, "certainNs", change->certain_ns);
    mb_json_close(json, "}");
}

static void put_pair(const struct answer_diff *diff, const struct answer_pair *pair,
                     struct mb_json *json)
{
    format_json_open_row(json);
    format_json_put_name(json, "name", &answer_pair_methods(diff, pair)->names, pair->id);
    mb_json_string(json, "change", answer_pair_word(pair));
    if (pair->is_muted) {
        mb_json_flag(json, "muted", true);
    }
    mb_json_number(json, "wasSelfNs", pair->old_ns);
    mb_json_number(json, "isSelfNs", pair->new_ns);
    mb_json_count(json, "wasCalls", pair->old != NULL ? pair->old->calls : 0);
    mb_json_count(json, "isCalls", pair->new != NULL ? pair->new->calls : 0);
    mb_json_close(json, "}");
}

static void put_runs(const struct answer_diff *diff, struct mb_json *json)
{
    double slower = answer_diff_slower(diff);

    put_percent(json, "noisePercent", diff->share * 100);
    if (slower >= 0) {
        put_percent(json, "slowerPercent", slower);
        put_change(&diff->wall, "wall", diff->old.wall_ns, diff->new.wall_ns, json);
    }
    if (diff->old.has_cpu && diff->new.has_cpu) {
        put_change(&diff->cpu, "cpu", diff->old.cpu_ns, diff->new.cpu_ns, json);
    }
}

static void put_quantile(const struct answer_quantile *quantile, const char *key,
                         struct mb_json *json)
{
    mb_json_open(json, key, "{");
    mb_json_number(json, "ns", quantile->ns);
    mb_json_number(json, "leastNs", quantile->least_ns);
    if (quantile->most_ns != INT64_MAX) {
        mb_json_number(json, "mostNs", quantile->most_ns);
    }
    mb_json_close(json, "}");
}

static void put_share(const struct answer_tail_change *change, const char *key,
                      struct mb_json *json)
{
    mb_json_open(json, key, "{");
    put_quantile(change->old, "was", json);
    put_quantile(change->new, "is", json);
    if (change->is_on_processor) {
        mb_json_flag(json, "lessReady", true);
    }
    if (change->is_known) {
        put_percent(json, "percent", change->percent);
        put_percent(json, "certainPercent", change->certain_percent);
    }
    mb_json_close(json, "}");
}

static void put_causes(bool are_new, const struct answer_side *side,
                       const struct answer_side *other, struct mb_json *json)
{
    mb_json_open(json, are_new ? "newCauses" : "goneCauses", "[");
    for (size_t i = 0; i < side->request->excess_count; i++) {
        const struct answer_excess *excess = &side->request->excesses[i];
        if (answer_tail_lacks(excess, side, other, are_new ? ANSWER_GROWN : 0)) {
            mb_json_open(json, NULL, "{");
            mb_json_string(json, "state", answer_state_name(excess->state));
            if (excess->id != 0) {
                format_json_put_name(json, "name", &side->methods->names, excess->id);
            }
            mb_json_count(json, "count", excess->count);
            mb_json_close(json, "}");
        }
    }
    mb_json_close(json, "]");
}

static void put_tails(const struct answer_diff *diff, struct mb_json *json)
{
    mb_json_open(json, "requests", "[");
    for (size_t i = 0; i < MB_VEC_COUNT(&diff->tails); i++) {
        const struct answer_tail *tail = &diff->tails.items[i];
        const struct answer_request *old = tail->old;
        const struct answer_request *new = tail->new;
        const struct answer_side is = {new, diff->new_methods};
        const struct answer_side was = {old, diff->old_methods};
        format_json_open_row(json);
        format_json_put_name(json, "name", &diff->new_methods->names, new->id);
        mb_json_count(json, "isCalls", new->lengths.calls);
        if (old != NULL) {
            mb_json_count(json, "wasCalls", old->lengths.calls);
            put_share(&tail->p50, "p50", json);
            put_share(&tail->p99, "p99", json);
            put_causes(true, &is, &was, json);
            put_causes(false, &was, &is, json);
        }
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

void format_json_put_diff(const struct answer_facts *old, const struct answer_facts *new,
                          struct mb_json *json)
{
    struct answer_diff diff = {0};

    answer_diff_make(&diff, old, new);
    const struct answer_pair *pairs = diff.pairs.items;
    mb_json_break(json, "\n");
    mb_json_open(json, "diff", "{");
    put_runs(&diff, json);
    mb_json_open(json, "methods", "[");
    for (size_t i = 0; i < diff.certain && !diff.pairs.buf.failed; i++) {
        put_pair(&diff, &pairs[i], json);
    }
    mb_json_close(json, "]");
    if (MB_VEC_COUNT(&diff.tails) > 0 && !diff.pairs.buf.failed) {
        put_tails(&diff, json);
    }
    mb_json_count(json, "little", diff.little);
    mb_json_count(json, "noise", diff.noise);
    mb_json_count(json, "explained", diff.explained);
    mb_json_close(json, "}");
    mb_buf_fail_with(json->out, &diff.pairs.buf);
    answer_diff_finish(&diff);
}

/* ---- Findings ---- */

/* Under the name of its hole, and what its number is of. */
static void put_value(const struct answer_value *value, const struct answer_names *names,
                      struct mb_json *json)
{
    bool is_percent = value->unit >= ANSWER_UNIT_PERCENT && value->unit <= ANSWER_UNIT_CHANGE;
    char key[40];

    (void)snprintf(key, sizeof(key), "%s%s", value->name,
                   is_percent                      ? "Percent"
                   : value->unit == ANSWER_UNIT_NS ? "Ns"
                                                   : "");
    if (is_percent) {
        put_percent(json, key, value->percent);
    } else if (value->unit == ANSWER_UNIT_TEXT) {
        mb_json_text(json, key, value->text);
    } else if (value->unit == ANSWER_UNIT_METHOD) {
        mb_json_open(json, key, "{");
        format_json_put_id(json, names, (uint32_t)value->number);
        mb_json_close(json, "}");
    } else if (value->unit == ANSWER_UNIT_WORD) {
        mb_json_string(json, key, answer_kind_name((enum answer_kind)value->number));
    } else if (value->unit == ANSWER_UNIT_FLAG) {
        mb_json_flag(json, key, value->number != 0);
    } else {
        mb_json_number(json, key, value->number);
    }
}

static void put_values(const struct answer_finding *finding, const struct answer_names *names,
                       struct mb_json *json)
{
    mb_json_string(json, "kind", answer_kind_name(finding->kind));
    for (size_t i = 0; i < ANSWER_MOST_VALUES; i++) {
        if (finding->values[i].name != NULL) {
            put_value(&finding->values[i], names, json);
        }
    }
}

static void put_sentence(const struct answer_finding *finding, const struct answer_names *names,
                         struct mb_json *json)
{
    const struct answer_voice voice = {.names = names};
    struct mb_buf text = {0};

    answer_put_sentence(&text, finding, &voice);
    mb_json_text(json, "sentence", (struct mb_text){(const char *)text.bytes, text.size});
    mb_buf_finish_part(json->out, &text);
}

static void put_finding(const struct answer_finding *finding, const struct answer_names *names,
                        struct mb_json *json)
{
    format_json_open_row(json);
    mb_json_string(json, "topic", answer_topic(finding->kind));
    put_values(finding, names, json);
    if (finding->part_count > 0) {
        mb_json_open(json, "parts", "[");
        for (size_t i = 1; i <= finding->part_count; i++) {
            mb_json_open(json, NULL, "{");
            put_values(finding + i, names, json);
            mb_json_close(json, "}");
        }
        mb_json_close(json, "]");
    }
    put_sentence(finding, names, json);
    mb_json_close(json, "}");
}

/* All that the text says in sentences, in its order. */
void format_json_put_findings(const struct answer_facts *facts, const struct answer_facts *old,
                              struct mb_json *json)
{
    struct answer_findings findings = {0};
    const struct answer_finding *finding = NULL;
    struct answer_lead lead = {0};
    struct answer_diff diff = {0};

    answer_lead_find(&lead, &facts->recording, &facts->clock, &facts->threads);
    if (old != NULL) {
        answer_diff_make(&diff, old, facts);
        answer_find_verdict(&findings, &diff);
        answer_find_noise(&findings, &diff);
    }
    answer_find_headline(&findings, facts, &lead);
    answer_find_trust(&findings, facts);
    format_json_open_list(json, "findings");
    while ((finding = answer_next_finding(&findings, finding)) != NULL) {
        put_finding(finding, &facts->methods.names, json);
    }
    mb_json_close(json, "]");
    mb_buf_fail_with(json->out, &findings.rows.buf);
    mb_buf_fail_with(json->out, &diff.pairs.buf);
    mb_buf_fail_with(json->out, &lead.pools.buf);
    answer_findings_finish(&findings);
    answer_diff_finish(&diff);
    answer_lead_finish(&lead);
}
