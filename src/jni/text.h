/* Java's strings as UTF-8. JNI has its own form of that, in which NUL and whatever lies beyond the
 * first 65,536 characters differ: no file and no report would know such a name. */

#ifndef JNI_TEXT_H
#define JNI_TEXT_H

#include <jni.h>
#include <stddef.h>

/* A copy that the caller frees. Half a surrogate pair becomes U+FFFD. NULL, and no exception, if
 * string is null, has a NUL in it, or memory runs out. */
char *jni_text_create(JNIEnv *env, jstring string);

#endif
