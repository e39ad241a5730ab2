/* `dumpsys SurfaceFlinger --list`: the names of layers. Which of them has the frames of a package
 * only its --latency tells. */

#ifndef SCREEN_LAYERS_H
#define SCREEN_LAYERS_H

#include "base/text.h"

/* The name that a line of the list has; newer systems wrap it: RequestedLayerState{NAME#id
 * parentId=...}. */
struct mb_text screen_layer_name(struct mb_text line);

/* It may have frames of the package: its name holds it, and it is none of the containers that never
 * do. */
bool screen_layer_is_of(struct mb_text name, struct mb_text package);

/* The one to prefer where both have frames as new: the greater. */
int screen_layer_rank(struct mb_text name);

/* Append text as one word of the device's shell. */
void screen_put_quoted(struct mb_buf *out, struct mb_text text);

#endif
