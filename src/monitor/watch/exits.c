#include "monitor/watch/watcher.h"

#include "monitor/issue.h"

#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

void watch_exit_add(struct watch_exits *exits, const struct watch_exit *exit)
{
    if (exits->count == WATCH_EXIT_COUNT) {
        return;
    }
    uint32_t place = exits->count++;
    exits->exits[place].exit = (struct watch_exit){.wall_ns = exit->wall_ns,
                                                   .pid = exit->pid,
                                                   .reason = copy_text(exit->reason),
                                                   .trace = copy_text(exit->trace)};
    exits->exits[place].is_over = false;
    if (exit->noted == NULL ||
        !spool_incident_read(&exits->exits[place].noted, mb_text_of(exit->noted))) {
        exits->exits[place].noted = (struct spool_incident){0};
    }
}

static void free_texts(struct watch_exit *exit)
{
    free((char *)(uintptr_t)exit->reason);
    free((char *)(uintptr_t)exit->trace);
    exit->reason = exit->trace = NULL;
}

/* As it noted itself; else a process of that number, which comes again, that ended after the stall
 * began. */
static bool is_of(const struct watch_exits *exits, uint32_t place, const struct spool_head *stall)
{
    const struct watch_exit *exit = &exits->exits[place].exit;

    if (exits->exits[place].noted.number != 0) {
        return spool_incident_is(exits->exits[place].noted, stall->incident);
    }
    return stall->pid != 0 && exit->pid == stall->pid && exit->wall_ns >= stall->wall_ns;
}

static uint32_t name_of(const char *text, struct watch_names *names)
{
    return text != NULL ? watch_names_pass(names, mb_text_of(text)) : 0;
}

void watch_exits_join(struct watch_exits *exits, const struct spool_head *stall,
                      struct mb_buf *issue)
{
    for (uint32_t i = 0; i < exits->count; i++) {
        struct watch_exit *exit = &exits->exits[i].exit;
        if (!exits->exits[i].is_over && is_of(exits, i, stall)) {
            mon_issue_confirm(issue, exit->reason);
            exits->exits[i].is_over = true;
            free_texts(exit);
            return;
        }
    }
}

void watch_exits_drop_published(struct watch_exits *exits, struct spool_incident incident)
{
    for (uint32_t i = 0; i < exits->count; i++) {
        struct watch_exit *exit = &exits->exits[i].exit;
        const struct spool_incident own = {(uint64_t)exit->wall_ns, exit->pid};
        if (spool_incident_is(own, incident) ||
            (incident.number != 0 && spool_incident_is(exits->exits[i].noted, incident))) {
            exits->exits[i].is_over = true;
            free_texts(exit);
        }
    }
}

bool watch_exits_are_over(const struct watch_exits *exits)
{
    bool are_over = true;

    for (uint32_t i = 0; i < exits->count; i++) {
        are_over = are_over && exits->exits[i].is_over;
    }
    return are_over;
}

bool watch_exits_take(struct watch_exits *exits, struct mon_event *event, struct watch_names *names)
{
    for (uint32_t i = 0; i < exits->count; i++) {
        struct watch_exit *exit = &exits->exits[i].exit;
        if (!exits->exits[i].is_over) {
            *event = (struct mon_event){.kind = MON_EXIT};
            event->exit = (struct mon_exit){
                .start = exits->exits[i].noted.start,
                .number = exits->exits[i].noted.number,
                .pid = exit->pid,
                .wall_ns = exit->wall_ns,
                .reason = name_of(exit->reason, names),
                .trace = name_of(exit->trace, names),
            };
            exits->exits[i].is_over = true;
            free_texts(exit);
            return true;
        }
    }
    return false;
}

void watch_exits_forget(struct watch_exits *exits)
{
    for (uint32_t i = 0; i < exits->count; i++) {
        free_texts(&exits->exits[i].exit);
    }
    exits->count = 0;
}
