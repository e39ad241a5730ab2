/* An array of items of one type that grows: a byte buffer seen through that type.
 *
 *     struct graph { MB_VEC(struct edge) edges; };
 *
 * Zeroed memory is a valid empty one. items is valid until the array grows. What depends on bytes
 * only is done with buf: mb_buf_check, mb_buf_reset, mb_buf_finish, buf.failed (base/buf.h).
 * The arguments of these macros have no side effects. */

#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/buf.h"

#include <stdlib.h>

/* clang-format off */
/* NOLINTBEGIN(bugprone-macro-parentheses): types and names take none */
#define MB_VEC(type) union { struct mb_buf buf; type *items; }

/* A type with a name, for functions that take one. */
#define MB_VEC_TYPE(name, type) union name { struct mb_buf buf; type *items; }
/* NOLINTEND(bugprone-macro-parentheses) */
/* clang-format on */

MB_VEC_TYPE(mb_numbers, uint32_t);
MB_VEC_TYPE(mb_words, const char *);

#define MB_VEC_COUNT(vec) ((vec)->buf.size / sizeof(*(vec)->items))

/* Append count items, to be filled by the caller. The first of them, or NULL (and failed) when out
 * of memory. */
#define MB_VEC_EXTEND(vec, count)                                                \
    (mb_buf_extend(&(vec)->buf, (size_t)(count) * sizeof(*(vec)->items)) != NULL \
         ? (vec)->items + (MB_VEC_COUNT(vec) - (size_t)(count))                  \
         : NULL)
#define MB_VEC_ADD(vec) MB_VEC_EXTEND(vec, 1)

/* Append an item; has no effect without memory, which is sticky. */
#define MB_VEC_PUSH(vec, ...)                                            \
    do {                                                                 \
        if (mb_buf_extend(&(vec)->buf, sizeof(*(vec)->items)) != NULL) { \
            (vec)->items[MB_VEC_COUNT(vec) - 1] = (__VA_ARGS__);         \
        }                                                                \
    } while (0)

/* Keep the first count items. */
#define MB_VEC_CUT(vec, count) ((void)((vec)->buf.size = (count) * sizeof(*(vec)->items)))

/* compare as for qsort. */
#define MB_VEC_SORT(vec, compare)                                                   \
    do {                                                                            \
        if ((vec)->buf.size > 0) {                                                  \
            qsort((vec)->items, MB_VEC_COUNT(vec), sizeof(*(vec)->items), compare); \
        }                                                                           \
    } while (0)

#endif
