/* Names in class files (JVMS §4.2, §4.3.3, §4.4.7), as far as any version of HotSpot rejects the
 * class for them. Before version 49 names must also be Java identifiers, which is not checked
 * here. */

#ifndef CLASSFILE_NAMES_H
#define CLASSFILE_NAMES_H

#include "classfile/class.h"

/* Both: modified UTF-8 without forbidden characters, and not empty. Spaces, control characters and
 * surrogates without their half are allowed. */
bool cf_is_class_name(struct mb_text name); /* internal form, no array */
bool cf_is_method_name(struct mb_text name);

/* MB_BAD_CLASS if the name of the class, its superclass or a method is invalid, or a method's
 * descriptor does not begin as one: such a class can neither be loaded nor named in a line of text.
 * The JVM reports other errors in descriptors, before and after instrumentation. */
MB_MUST_CHECK enum mb_status cf_class_check_names(const struct cf_class *cls, struct mb_error *err);

#endif
