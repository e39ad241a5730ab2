/* Probes that do nothing, in a shared library like the real ones. */

#ifndef BENCH_EMPTY_H
#define BENCH_EMPTY_H

#include <stdint.h>

void empty_i(uint32_t id);
void empty_o(uint32_t id);

#endif
