/* The machine: how many threads can run at the same time, and its names. */

#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

/* Processors that the calling thread may use (taskset, cpusets of containers); at least 1. */
unsigned mb_processor_count(void);

/* As its system tells them: "Linux", "6.1.0-9-amd64", "x86_64", and bytes; 0 if unknown. */
struct mb_machine {
    char system[66];
    char release[66];
    char processor[66];
    uint64_t memory;
};

/* False if the system does not tell. */
bool mb_machine_look(struct mb_machine *machine);

#endif
