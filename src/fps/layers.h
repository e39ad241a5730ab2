/* `dumpsys SurfaceFlinger --list`: the names of layers. Only --latency shows which layer has the
 * frames of a package. */

#ifndef FPS_LAYERS_H
#define FPS_LAYERS_H

#include "base/text.h"

/* The name that a line of the list has; newer systems wrap it: RequestedLayerState{NAME#id
 * parentId=...}. */
struct mb_text fps_layer_name(struct mb_text line);

/* True if the name contains the package and is not that of a container, which never has frames. */
bool fps_layer_is_of(struct mb_text name, struct mb_text package);

/* If two layers have frames of the same age, prefer the greater value. */
int fps_layer_rank(struct mb_text name);

/* Append text as one word of the device's shell. */
void fps_put_quoted(struct mb_buf *out, struct mb_text text);

#endif
