#include "watch/exits.h"

#include "monitor/issue.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

void watch_exit_add(struct watch_exits *exits, const struct watch_exit *exit)
{
    if (exits->count == WATCH_EXIT_COUNT) {
        return;
    }
    uint32_t place = exits->count++;
    exits->exits[place].told = (struct watch_exit){.wall_ns = exit->wall_ns,
                                                   .pid = exit->pid,
                                                   .reason = copy(exit->reason),
                                                   .trace = copy(exit->trace)};
    exits->exits[place].is_over = false;
    if (exit->noted == NULL ||
        !spool_incident_read(&exits->exits[place].noted, mb_text_of(exit->noted))) {
        exits->exits[place].noted = (struct spool_incident){0};
    }
}

static void free_texts(struct watch_exit *told)
{
    free((char *)(uintptr_t)told->reason);
    free((char *)(uintptr_t)told->trace);
    told->reason = told->trace = NULL;
}

/* As it noted itself; else a process of that number, which comes again, that ended after the stall
 * began. */
static bool is_of(const struct watch_exits *exits, uint32_t place, const struct spool_head *stall)
{
    const struct watch_exit *told = &exits->exits[place].told;

    if (exits->exits[place].noted.number != 0) {
        return spool_incident_is(exits->exits[place].noted, stall->incident);
    }
    return stall->pid != 0 && told->pid == stall->pid && told->wall_ns >= stall->wall_ns;
}

static uint32_t name_of(const char *text, struct watch_names *names)
{
    return text != NULL ? watch_names_pass(names, mb_text_of(text)) : 0;
}

void watch_exits_join(struct watch_exits *exits, const struct spool_head *stall,
                      struct mb_buf *issue)
{
    for (uint32_t i = 0; i < exits->count; i++) {
        struct watch_exit *told = &exits->exits[i].told;
        if (!exits->exits[i].is_over && is_of(exits, i, stall)) {
            mon_issue_confirm(issue, told->reason);
            exits->exits[i].is_over = true;
            free_texts(told);
            return;
        }
    }
}

void watch_exits_settle(struct watch_exits *exits, struct spool_incident incident)
{
    for (uint32_t i = 0; i < exits->count; i++) {
        struct watch_exit *told = &exits->exits[i].told;
        const struct spool_incident own = {(uint64_t)told->wall_ns, told->pid};
        if (spool_incident_is(own, incident) ||
            (incident.number != 0 && spool_incident_is(exits->exits[i].noted, incident))) {
            exits->exits[i].is_over = true;
            free_texts(told);
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
        struct watch_exit *told = &exits->exits[i].told;
        if (!exits->exits[i].is_over) {
            *event = (struct mon_event){.kind = MON_EXIT};
            event->exit = (struct mon_exit){
                .start = exits->exits[i].noted.start,
                .number = exits->exits[i].noted.number,
                .pid = told->pid,
                .wall_ns = told->wall_ns,
                .reason = name_of(told->reason, names),
                .trace = name_of(told->trace, names),
            };
            exits->exits[i].is_over = true;
            free_texts(told);
            return true;
        }
    }
    return false;
}

void watch_exits_forget(struct watch_exits *exits)
{
    for (uint32_t i = 0; i < exits->count; i++) {
        free_texts(&exits->exits[i].told);
    }
    exits->count = 0;
}
