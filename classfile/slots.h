/* Descriptors (JVMS §4.3) as the slots they take. Texts are borrowed. */

#ifndef CLASSFILE_SLOTS_H
#define CLASSFILE_SLOTS_H

#include "classfile/simulate.h"

/* Takes two slots. */
bool cf_slot_is_wide(struct cf_slot type);

/* What a field descriptor or V says; TOP for V and for none. */
struct cf_slot cf_slot_of(struct mb_text descriptor);

/* What stands behind the parenthesis of a method descriptor; empty if absent. */
struct mb_text cf_parameters_of(struct mb_text descriptor);

/* The next parameter of rest, which moves behind it; false at the end or where it is malformed. */
bool cf_slot_take_parameter(struct mb_text *rest, struct cf_slot *type);

/* Of all parameters, without a receiver. */
unsigned cf_parameter_slots(struct mb_text descriptor);
struct mb_text cf_return_of(struct mb_text descriptor);

#endif
