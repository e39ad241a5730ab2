/* Where in the source a frame of a stack is: "a.b.C.load(C.java:12)". */

#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include "base/text.h"

/* Borrowed from the frame's text; file is empty if the text has no line. */
struct mb_place {
    struct mb_text file;
    uint32_t line;
};

/* Split the place off the end of a frame's text: the function remains, which identifies the frame.
 * A text without file and line stays as it is, "operator()(int)" too. */
struct mb_place mb_place_cut(struct mb_text *frame);

#endif
