/* The smaller and the larger of two numbers. */

#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

static inline int64_t mb_min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t mb_max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t mb_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t mb_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline double mb_min_f64(double a, double b)
{
    return a < b ? a : b;
}

static inline double mb_max_f64(double a, double b)
{
    return a > b ? a : b;
}

#endif
