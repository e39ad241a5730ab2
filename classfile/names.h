/* Which names a class file may hold (JVMS §4.2, §4.3.3, §4.4.7), as far as HotSpot refuses the
 * class for another one in any version. What was compiled before version 49 must hold Java
 * identifiers besides; that is not asked for here. */

#ifndef CLASSFILE_NAMES_H
#define CLASSFILE_NAMES_H

#include "classfile/class.h"

/* Both: modified UTF-8 without forbidden characters, and not empty. Spaces, control characters and
 * surrogates without their half are allowed. */
bool cf_is_class_name(struct mb_text name); /* internal form, no array */
bool cf_is_method_name(struct mb_text name);

/* MB_BAD_CLASS if the class, its superclass or a method has none of these as its name, or a
 * method's descriptor does not begin as one: such a class cannot be loaded, nor named in a line of
 * text. What else may be wrong with a descriptor the JVM says, of the class as it was and as it
 * becomes. */
MB_MUST_CHECK enum mb_status cf_class_check_names(const struct cf_class *cls, struct mb_error *err);

#endif
