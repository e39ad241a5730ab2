/* Stands in for the NDK's: what libmethodbeat takes from it. */

#ifndef ANDROID_LOG_H
#define ANDROID_LOG_H

#define ANDROID_LOG_INFO 4

static inline int __android_log_write(int priority, const char *tag, const char *text)
{
    return priority != 0 && tag != text;
}

#endif
