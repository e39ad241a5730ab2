/* What another process may ask of a recorder through the header of its trace, and is answered
 * there. Both words of the header have one shape: a number that grows, then eight bits. The asking
 * process waits until the last request is answered, then puts the next number and a command in
 * request; the recorder acts, and puts the number and what became of it in answered. */

#ifndef ABI_CONTROL_H
#define ABI_CONTROL_H

#include "abi/tracefile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum abi_control_command {
    ABI_CONTROL_DUMP = 1,
    ABI_CONTROL_STOP,
};

enum abi_control_outcome {
    ABI_CONTROL_DONE = 1,
    ABI_CONTROL_FAILED = 3,  /* the program's messages say why */
    ABI_CONTROL_UNKNOWN = 5, /* no such command exists */
};

/* The value of answered while the recorder does not listen; also the answer to a stop. */
#define ABI_CONTROL_DEAF UINT64_MAX

static inline uint64_t abi_control_word(uint64_t number, unsigned detail)
{
    return number << 8 | detail;
}

static inline uint64_t abi_control_number(uint64_t word)
{
    return word >> 8;
}

static inline unsigned abi_control_detail(uint64_t word)
{
    return word & 0xFF;
}

/* Put a request there, and its number in *number; false if another one is not answered yet, or
 * the recorder does not listen. */
bool abi_control_ask(struct abi_trace_header *header, enum abi_control_command command,
                     uint64_t *number);

/* Take off what Linux appends to the path of an open file that was deleted. */
void abi_control_trim(char *path);

/* Where the dump that was asked for with this number goes: beside the trace, named after it, the
 * process and the number. False if that does not fit. */
bool abi_control_dump_path(char *path, size_t size, const char *trace, uint32_t process_id,
                           uint64_t number);

#endif
