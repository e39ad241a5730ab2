/* The texts of a run (class names, method names, descriptors), each kept once: a million methods
 * of a hundred thousand classes share most of theirs. */

#ifndef INSTRUMENT_NAMES_H
#define INSTRUMENT_NAMES_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* No text; also what ins_names_add gives when out of memory. */
#define INS_NO_NAME 0u

struct ins_names;

/* Give out an image of all names, piece by piece, fit for ins_names_load on this machine. */
void ins_names_save(const struct ins_names *names,
                    void (*put)(void *context, const void *bytes, size_t size), void *context);

/* From an image that was saved by this build and is whole (the caller has checked), at a place
 * aligned to 8 bytes. Views the image, and writes to it when texts are added; it must outlive the
 * names. Numbers are those of the names that were saved. NULL when out of memory, or if sizes do
 * not fit together. */
struct ins_names *ins_names_load(uint8_t *image, size_t size);

/* NULL when out of memory. Free with ins_names_destroy, which accepts NULL. */
struct ins_names *ins_names_create(void);
void ins_names_destroy(struct ins_names *names);

/* The number of the text, which is copied. Equal texts have equal numbers; which number that is
 * depends on what threads do, so nothing that is written may. At most 65,535 bytes, as in a class
 * file (asserted). Any thread, at any time. */
uint32_t ins_names_add(struct ins_names *names, struct mb_text text);

/* The same for count texts, at most INS_NAMES_AT_ONCE, in less time than one after another: memory is
 * asked for all of them before it is waited for. False when out of memory. */
#define INS_NAMES_AT_ONCE 16u
bool ins_names_add_all(struct ins_names *names, const struct mb_text *texts, size_t count,
                       uint32_t *numbers);

/* Give back what was needed only while texts were looked up at the same time: no thread does so now.
 * Of use after many were added. */
void ins_names_settle(struct ins_names *names);

/* Empty for INS_NO_NAME. Stays until destroy. */
struct mb_text ins_names_get(const struct ins_names *names, uint32_t name);

#endif
