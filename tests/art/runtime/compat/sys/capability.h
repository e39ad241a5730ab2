/* libcap's, as far as libcore uses it: two system calls of the C library. */

#ifndef ART_COMPAT_CAPABILITY_H
#define ART_COMPAT_CAPABILITY_H

#include <linux/capability.h>

#ifdef __cplusplus
extern "C" {
#endif
int capget(struct __user_cap_header_struct *header, struct __user_cap_data_struct *data);
int capset(struct __user_cap_header_struct *header, const struct __user_cap_data_struct *data);
#ifdef __cplusplus
}
#endif

#endif
