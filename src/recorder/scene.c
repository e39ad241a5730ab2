#include "recorder/methodbeat.h"

#include "base/check.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define MAX_LISTENERS 8
#define MAX_FOCUSED 16 /* windows in multi-window modes; more push the oldest out */
#define NAME_SIZE 192

struct listener {
    void (*heard)(void *context, const char *scene, bool has_focus);
    void *context;
};

/* Focused scenes in the order in which they got the focus. */
struct scenes {
    pthread_mutex_t lock;
    char focused[MAX_FOCUSED][NAME_SIZE];
    size_t focused_count;
    struct listener listeners[MAX_LISTENERS];
    size_t listener_count;
};

static struct scenes scenes = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t find_focused(const char *name)
{
    size_t i = 0;

    while (i < scenes.focused_count && strcmp(scenes.focused[i], name) != 0) {
        i++;
    }
    return i;
}

static void remove_focused(size_t index)
{
    scenes.focused_count--;
    memmove(scenes.focused[index], scenes.focused[index + 1],
            (scenes.focused_count - index) * sizeof(scenes.focused[0]));
}

/* True if the focused scene changed. */
static bool set_focus(const char *name, bool has_focus)
{
    size_t index = find_focused(name);
    bool had_focus = index < scenes.focused_count;

    if (has_focus == had_focus) {
        return false;
    }
    if (had_focus) {
        remove_focused(index);
        return true;
    }
    if (scenes.focused_count == MAX_FOCUSED) {
        remove_focused(0);
    }
    memcpy(scenes.focused[scenes.focused_count++], name, NAME_SIZE);
    return true;
}

void beat_at(const char *scene, bool has_focus)
{
    struct listener listeners[MAX_LISTENERS];
    char name[NAME_SIZE] = "";
    size_t count = 0;

    (void)snprintf(name, sizeof(name), "%s", scene);
    (void)pthread_mutex_lock(&scenes.lock);
    if (set_focus(name, has_focus)) {
        count = scenes.listener_count;
        memcpy(listeners, scenes.listeners, sizeof(listeners));
    }
    (void)pthread_mutex_unlock(&scenes.lock);
    for (size_t i = 0; i < count; i++) {
        listeners[i].heard(listeners[i].context, scene, has_focus);
    }
}

void beat_scene(char *name, size_t size)
{
    (void)pthread_mutex_lock(&scenes.lock);
    size_t count = scenes.focused_count;
    (void)snprintf(name, size, "%s", count > 0 ? scenes.focused[count - 1] : "");
    (void)pthread_mutex_unlock(&scenes.lock);
}

bool beat_listen(void (*heard)(void *context, const char *scene, bool has_focus), void *context)
{
    (void)pthread_mutex_lock(&scenes.lock);
    bool room = scenes.listener_count < MB_COUNT(scenes.listeners);
    if (room) {
        scenes.listeners[scenes.listener_count++] = (struct listener){heard, context};
    }
    (void)pthread_mutex_unlock(&scenes.lock);
    return room;
}
