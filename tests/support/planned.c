#include "planned.h"

#include <stdio.h>
#include <stdlib.h>

static void check(enum mb_status status, const struct mb_error *err)
{
    if (status != MB_OK) {
        (void)fprintf(stderr, "%s: %s\n", err->input, err->reason);
        abort();
    }
}

static void collect(struct planned *p, struct mb_error *err)
{
    struct rule_options rules = {.beat_class = MB_TEXT("my/Beat"), .profile = p->describer.profile};

    check(rule_set_create(&p->rules, &rules, err), err);
    check(plan_collect(
              &(struct plan_collect_request){
                  .crew = &p->inputs.crew,
                  .sources = &p->inputs.sources,
                  .contents = &p->contents,
                  .names = p->names,
                  .rules = p->rules,
                  .warnings = &p->warnings,
                  .beat_class = rules.beat_class,
                  .keeps_rules = true,
                  .interns_all_names = true,
              },
              err),
          err);
}

void planned_open(struct planned *p, const struct input_class *classes, size_t count, unsigned jobs)
{
    const struct plan_order none = {0};
    struct mb_error err = {0};

    inputs_open(&p->inputs, classes, count, jobs);
    plan_warnings_init(&p->warnings);
    p->names = mb_intern_create();
    p->describer.names = p->names;
    plan_contents_open(&p->contents, plan_contents_measure(&p->inputs.sources));
    collect(p, &err);
    check(plan_order_classes(&p->order, &p->inputs.sources, &none, p->names, p->inputs.crew.workers,
                             &err),
          &err);
    const struct plan_number_options options = {&p->describer, &p->base, 0};
    check(plan_number(&p->numbering, p->order.classes, p->order.count, &options, &err), &err);
    check(plan_index_ids(&p->numbering, p->order.classes, p->order.count, &err), &err);
    plan_mark_used_ids(&p->numbering, p->order.classes, p->order.count);
}

void planned_close(struct planned *p)
{
    abi_methodmap_finish(&p->base);
    plan_numbering_finish(&p->numbering);
    plan_order_finish(&p->order);
    plan_contents_finish(&p->contents);
    plan_warnings_finish(&p->warnings);
    rule_set_destroy(p->rules);
    inputs_close(&p->inputs);
    mb_intern_destroy(p->names);
}

struct plan_class *planned_find(const struct planned *p, const char *name)
{
    for (size_t i = 0; i < p->order.count; i++) {
        if (mb_text_is(mb_intern_get(p->names, p->order.classes[i]->name), name)) {
            return p->order.classes[i];
        }
    }
    (void)fprintf(stderr, "no class %s\n", name);
    abort();
}
