#include "instrument/findings.h"

#include <string.h>

#define WHOLE_CLASS UINT32_MAX

struct finding {
    struct ins_class *cls;
    uint32_t method; /* WHOLE_CLASS: it cannot be read */
    uint32_t rule;
};

void ins_findings_init(struct ins_findings *findings)
{
    *findings = (struct ins_findings){0};
    (void)pthread_mutex_init(&findings->lock, NULL);
}

void ins_findings_finish(struct ins_findings *findings)
{
    (void)pthread_mutex_destroy(&findings->lock);
    mb_buf_finish(&findings->items);
}

static enum mb_status add(struct ins_findings *findings, const struct finding *finding,
                          struct mb_error *err)
{
    (void)pthread_mutex_lock(&findings->lock);
    mb_buf_put(&findings->items, finding, sizeof(*finding));
    enum mb_status status = mb_buf_check(&findings->items, err);
    (void)pthread_mutex_unlock(&findings->lock);
    return status;
}

enum mb_status ins_findings_add_limit(struct ins_findings *findings, struct ins_class *cls,
                                      uint16_t method, uint32_t rule, struct mb_error *err)
{
    return add(findings, &(struct finding){cls, method, rule}, err);
}

enum mb_status ins_findings_add_broken(struct ins_findings *findings, struct ins_class *cls,
                                       struct mb_error *err)
{
    return add(findings, &(struct finding){cls, WHOLE_CLASS, INS_NO_NAME}, err);
}

static void apply(const struct finding *finding)
{
    struct ins_class *cls = finding->cls;

    cls->has_findings = true;
    if (finding->method == WHOLE_CLASS) {
        ins_class_give_up(cls);
        return;
    }
    struct ins_method *method = &cls->methods[finding->method];
    method->verdict = RULE_IGNORE;
    method->is_skipped = true;
    method->rule = finding->rule;
    cls->traced_count--;
}

bool ins_findings_apply(struct ins_findings *findings)
{
    size_t count = findings->items.size / sizeof(struct finding);

    for (size_t i = 0; i < count; i++) {
        struct finding finding;
        memcpy(&finding, findings->items.bytes + i * sizeof(finding), sizeof(finding));
        apply(&finding);
    }
    mb_buf_reset(&findings->items);
    return count > 0;
}
