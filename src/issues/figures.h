/* What issues without a stack tell in figures: how a scene was drawn, how long a start took, what
 * the processor did. */

#ifndef ISSUES_FIGURES_H
#define ISSUES_FIGURES_H

#include "base/buf.h"
#include "base/value.h"
#include "issues/issue.h"

/* object is an issue, own its member "methodbeat" or NULL. frames is 0 if it is not of drawing. */
void issues_drawn_parse(struct answer_drawn *drawn, const struct mb_value *object,
                        const struct mb_value *own);

/* The same, of a start and of the processor in words; nothing for other issues. */
void issues_put_figures(struct mb_buf *out, const struct answer_drawn *drawn,
                        const struct mb_value *own);

#endif
