/* Put before each source by the compilers that stand in for the NDK's (aar.py): what glibc's
 * headers name otherwise than Android's. Sizes and numbers stay glibc's: what is built with this is
 * looked at, never run. */

#define _GNU_SOURCE /* as sources that ask for it do, too late */
#include <errno.h>
#include <stdio.h>

#undef errno
extern int *__errno(void);
#define errno (*__errno())

/* Level 23 has no fopen64. */
extern FILE *plain_fopen(const char *path, const char *mode) __asm__("fopen");
#define fopen plain_fopen

/* glibc has one a standard. */
extern int plain_sscanf(const char *text, const char *format, ...) __asm__("sscanf");
#define sscanf plain_sscanf

#define ANDROID_LOG_H /* there is none here */
#define ANDROID_LOG_INFO 4
extern int __android_log_write(int priority, const char *tag, const char *text);
