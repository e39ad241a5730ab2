/* An issue as it was written, by the monitors or by Matrix's TraceCanary: the JSON of
 * monitor/issue.h, of which Matrix has the outer part. */

#ifndef ISSUES_ISSUE_H
#define ISSUES_ISSUE_H

#include "answer/issue.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/value.h"

#include <stdbool.h>
#include <stdint.h>

/* An item of the method trace. */
struct issues_item {
    uint64_t depth;
    uint64_t id;
    uint64_t count;
    int64_t ms;
};

/* Cut the next item off; false at the end, and at anything else. */
bool issues_take_item(struct mb_text *stack, struct issues_item *item);

enum issues_verdict {
    ISSUES_ISSUE,
    ISSUES_OTHER, /* of another kind: frame rates, start-up */
    ISSUES_NO_ISSUE,
    ISSUES_NO_MEMORY,
};

/* The word that a member spells in hexadecimal digits; 0 for any other. */
uint64_t issues_take_word(const struct mb_value *object, const char *member);

/* object is any JSON object; texts are kept in the pool. A member of another type than it should
 * have counts as missing. */
enum issues_verdict issues_judge(const struct mb_value *object);
enum issues_verdict issues_issue_parse(struct answer_issue *issue, struct mb_intern *texts,
                                       const struct mb_value *object);

/* ---- What issues without a stack tell in figures: drawing, starts, the processor ---- */

/* object is an issue, own its member "methodbeat" or NULL. frames is 0 if it is not of drawing. */
void issues_drawn_parse(struct answer_drawn *drawn, const struct mb_value *object,
                        const struct mb_value *own);

/* The same, of a start and of the processor in words; nothing for other issues. */
void issues_put_figures(struct mb_buf *out, const struct answer_drawn *drawn,
                        const struct mb_value *own);

#endif
