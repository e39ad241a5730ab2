/* What issues without a stack tell in figures: how a scene was drawn, how long a start took, what
 * the processor did. */

#ifndef ISSUES_FIGURES_H
#define ISSUES_FIGURES_H

#include "base/buf.h"
#include "issues/issue.h"

struct json_t;

/* object is an issue, own its member "methodbeat" or NULL. frames is 0 if it is not of drawing. */
void issues_drawn_parse(struct answer_drawn *drawn, const struct json_t *object,
                        const struct json_t *own);

/* The same, of a start and of the processor in words; nothing for other issues. */
void issues_put_figures(struct mb_buf *out, const struct answer_drawn *drawn,
                        const struct json_t *own);

#endif
