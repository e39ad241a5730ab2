/* The bytes of the probes, and the constants they name. */

#ifndef INSTRUMENT_WEAVE_PROBE_H
#define INSTRUMENT_WEAVE_PROBE_H

#include "classfile/constants.h"

#include <stdint.h>

/* Longest push of an id (9 bytes of arithmetic), a call, and an athrow. */
#define WEAVE_MAX_PROBE_SIZE 13

/* Pool indices that probes use, made once per class; 0: not made yet. */
struct weave_references {
    uint16_t beat_class;
    uint16_t probe_desc;
    uint16_t enter;
    uint16_t exit;
    uint16_t caught; /* c */
    uint16_t focus;
    uint16_t throwable;
    uint16_t stack_map_name;
    uint16_t override_name; /* of the onWindowFocusChanged that is added */
    uint16_t override_desc;
    uint16_t override_code;  /* "Code" */
    uint16_t override_super; /* Methodref of the called method */
};

/* An id on the stack, in the shortest way that finds a place in the pool. */
struct weave_push {
    uint8_t bytes[9];
    uint8_t size;
    uint8_t stack; /* slots it needs */
};

struct weave_probe {
    uint8_t bytes[WEAVE_MAX_PROBE_SIZE];
    uint8_t size;
};

/* Methodrefs of i and o, the Throwable and the frame table's name. False: no place for all. */
bool weave_references_add(struct weave_references *references, struct cf_constants *constants,
                          struct mb_text beat_class);

/* Methodref of c. False: no place. The others must be there. */
bool weave_references_add_catch(struct weave_references *references,
                                struct cf_constants *constants);

/* Methodref of at. False: no place. The others must be there. */
bool weave_references_add_focus(struct weave_references *references,
                                struct cf_constants *constants);

/* The additional entries for an added onWindowFocusChanged. False: the pool is full. */
bool weave_references_add_override(struct weave_references *references,
                                   struct cf_constants *constants, uint16_t super_class);

/* Ids from 1 to ABI_MAX_ID. Above 32,767 a constant is added, or arithmetic used if the pool is
 * full. */
void weave_push_id(struct weave_push *push, struct cf_constants *constants, uint32_t id);

/* push, then a call of the (I)V method. */
void weave_probe_call(struct weave_probe *probe, const struct weave_push *push,
                      uint16_t method_ref);

#endif
