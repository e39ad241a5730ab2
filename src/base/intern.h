/* Texts, each kept once: a million methods of a hundred thousand classes share most of their names
 * and descriptors. */

#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Not a text; mb_intern_add returns it when out of memory. */
#define MB_INTERN_NONE 0u

struct mb_intern;

/* Give out an image of all names, piece by piece, fit for mb_intern_load on this machine. */
void mb_intern_save(const struct mb_intern *names,
                    void (*put)(void *context, const void *bytes, size_t size), void *context);

/* Load an image that this build saved and whose checksum the caller has verified, at an address
 * aligned to 8 bytes. Views the image, and writes to it when texts are added; the image must
 * outlive the names. Numbers are those of the saved names. NULL when out of memory, or if sizes do
 * not fit together. */
struct mb_intern *mb_intern_load(uint8_t *image, size_t size);

/* NULL when out of memory. Free with mb_intern_destroy, which accepts NULL. */
struct mb_intern *mb_intern_create(void);
void mb_intern_destroy(struct mb_intern *names);

/* The number of the text, which is copied. Equal texts have equal numbers; the numbers depend on
 * thread timing, so outputs must not depend on them. At most 65,535 bytes, as in a class file
 * (asserted). Any thread, at any time. */
uint32_t mb_intern_add(struct mb_intern *names, struct mb_text text);

/* The same for count texts, at most MB_INTERN_AT_ONCE, faster than one by one: memory is prefetched
 * for all of them. False when out of memory. */
#define MB_INTERN_AT_ONCE 16u
bool mb_intern_add_all(struct mb_intern *names, const struct mb_text *texts, size_t count,
                       uint32_t *numbers);

/* Free what only concurrent lookups need: no other thread may use the names now. Worthwhile after
 * adding many. */
void mb_intern_free_outgrown(struct mb_intern *names);

/* Empty for MB_INTERN_NONE. Stays until destroy. */
struct mb_text mb_intern_get(const struct mb_intern *names, uint32_t name);

#endif
