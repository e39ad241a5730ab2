/* events.def with the rows that its user has not defined left out; for inclusion in the middle of
 * something, any number of times. */

#ifndef MON_EVENT
#define MON_EVENT(KIND, name)
#endif
#ifndef MON_TIME
#define MON_TIME(event, field)
#endif
#ifndef MON_WALL
#define MON_WALL(event, field)
#endif
#ifndef MON_WORD
#define MON_WORD(event, field)
#endif
#ifndef MON_COUNT
#define MON_COUNT(event, field)
#endif
#ifndef MON_FLAG
#define MON_FLAG(event, field)
#endif
#ifndef MON_NAME
#define MON_NAME(event, field)
#endif
#ifndef MON_FRAMES
#define MON_FRAMES(event, field)
#endif
#ifndef MON_ITEMS
#define MON_ITEMS(event, field)
#endif
#ifndef MON_THREADS
#define MON_THREADS(event, field)
#endif
#ifndef MON_END
#define MON_END
#endif

#include "monitor/events.def"

#undef MON_EVENT
#undef MON_TIME
#undef MON_WALL
#undef MON_WORD
#undef MON_COUNT
#undef MON_FLAG
#undef MON_NAME
#undef MON_FRAMES
#undef MON_ITEMS
#undef MON_THREADS
#undef MON_END
