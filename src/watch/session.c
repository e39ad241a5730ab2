#include "watch/session.h"

#include "monitor/json.h"
#include "watch/clock.h"
#include "watch/loops.h"
#include "watch/watcher.h"

#define NS_PER_MS INT64_C(1000000)
#define FIRST_SAVE_NS (1000 * NS_PER_MS)
#define LONGEST_UNSAVED_NS (60000 * NS_PER_MS)

void watch_session_begin(struct watch_session *session, int64_t now_ns,
                         const struct watch_counters *counters)
{
    *session = (struct watch_session){.begin_ns = now_ns,
                                      .saved_ns = now_ns,
                                      .saved_messages = counters->messages,
                                      .since_ns = now_ns,
                                      .scene_count = 1};
    memcpy(session->before, counters->lengths, sizeof(session->before));
}

int64_t watch_session_due_ns(const struct watch_session *session,
                             const struct watch_counters *counters)
{
    int64_t wait = session->saved_ns - session->begin_ns;

    wait = wait > FIRST_SAVE_NS ? wait : FIRST_SAVE_NS;
    wait = wait < LONGEST_UNSAVED_NS ? wait : LONGEST_UNSAVED_NS;
    return counters->messages != session->saved_messages ? session->saved_ns + wait : INT64_MAX;
}

/* What was since the last change belongs to the scene that was shown. */
static void settle(struct watch_session *session, int64_t now_ns,
                   const struct watch_counters *counters)
{
    struct watch_scene_sum *scene = &session->scenes[session->present];

    scene->shown_ns += now_ns - session->since_ns;
    session->since_ns = now_ns;
    for (uint32_t i = 0; i < WATCH_LENGTH_COUNT; i++) {
        scene->lengths[i] += counters->lengths[i] - session->before[i];
        session->before[i] = counters->lengths[i];
    }
}

void watch_session_show(struct watch_session *session, uint32_t name, int64_t now_ns,
                        const struct watch_counters *counters)
{
    uint32_t place = 0;

    settle(session, now_ns, counters);
    session->shown = name;
    while (place < session->scene_count && session->scenes[place].name != name) {
        place++;
    }
    if (place == WATCH_SCENE_COUNT) {
        place--;
        session->scenes[place].name = 0;
    } else if (place == session->scene_count) {
        session->scenes[session->scene_count++].name = name;
    }
    session->present = place;
}

/* ---- Writing ---- */

static void put_lengths(struct mon_json *json, const uint64_t lengths[WATCH_LENGTH_COUNT])
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < WATCH_LENGTH_COUNT; i++) {
        sum += lengths[i];
    }
    mon_json_number(json, "messages", (int64_t)sum);
    mon_json_key(json, "lengths");
    mon_json_open(json, "[");
    for (uint32_t i = 0; i < WATCH_LENGTH_COUNT; i++) {
        mon_json_number(json, NULL, (int64_t)lengths[i]);
    }
    mon_json_close(json, "]");
}

static void put_scenes(struct mon_json *json, const struct watch_session *session,
                       const struct mon_names *names)
{
    mon_json_key(json, "scenes");
    mon_json_open(json, "[");
    for (uint32_t i = 0; i < session->scene_count; i++) {
        const struct watch_scene_sum *scene = &session->scenes[i];
        mon_json_key(json, NULL);
        mon_json_open(json, "{");
        mon_json_text(json, "scene", mon_name(names, scene->name));
        mon_json_number(json, "shown_ns", scene->shown_ns);
        put_lengths(json, scene->lengths);
        mon_json_close(json, "}");
    }
    mon_json_close(json, "]");
}

static void put_counters(struct mon_json *json, const struct watch_counters *counters)
{
    mon_json_number(json, "looks", (int64_t)counters->looks);
    mon_json_number(json, "latest_ns", counters->latest_ns);
    mon_json_number(json, "gap_ns", counters->gap_ns);
    mon_json_number(json, "debugged", (int64_t)counters->debugged);
    mon_json_number(json, "pings", (int64_t)counters->pings);
    mon_json_number(json, "pings_moot", (int64_t)counters->pings_moot);
    mon_json_number(json, "stale_stacks", (int64_t)counters->stale_stacks);
    mon_json_number(json, "names_left_out", (int64_t)counters->names_left_out);
    mon_json_number(json, "answers_left_out", (int64_t)counters->answers_left_out);
}

void watch_session_put(struct mb_buf *out, struct watch_session *session,
                       const struct watch_ending *ending, const struct mon_names *names)
{
    struct mon_json json = {.out = out};
    uint64_t all[WATCH_LENGTH_COUNT] = {0};

    settle(session, ending->now_ns, ending->process_counters);
    for (uint32_t i = 0; i < session->scene_count; i++) {
        for (uint32_t class = 0; class < WATCH_LENGTH_COUNT; class ++) {
            all[class] += session->scenes[i].lengths[class];
        }
    }
    mon_json_open(&json, "{");
    mon_json_number(&json, "methodbeat_session", 1);
    mon_json_string(&json, "process", ending->process);
    mon_json_word(&json, "start", ending->start);
    mon_json_number(&json, "ended", ending->wall_ns / NS_PER_MS);
    mon_json_flag(&json, "stopped", ending->is_over);
    mon_json_number(&json, "lasted_ns", ending->now_ns - session->begin_ns);
    put_lengths(&json, all);
    put_scenes(&json, session, names);
    put_counters(&json, ending->counters);
    mon_json_close(&json, "}\n");
    session->saved_ns = ending->now_ns;
    session->saved_messages = ending->process_counters->messages;
}

/* ---- The watcher's ---- */

/* Messages of all loops, of the process. */
static struct watch_counters count_messages(void)
{
    struct watch_counters counters = {0};

    watch_loops_count(&counters);
    return counters;
}

void watch_sum_begin(struct watch_watcher *watcher)
{
    const struct watch_counters counters = count_messages();

    watch_session_begin(&watcher->session, watch_clock_now_ns(), &counters);
    watcher->session.begin_wall_ns = watch_clock_read_ns(CLOCK_REALTIME);
}

void watch_sum_scene(struct watch_watcher *watcher)
{
    uint32_t scene = mon_current_scene(watcher->mon)->name;

    if (scene != watcher->session.shown) {
        const struct watch_counters counters = count_messages();
        watch_session_show(&watcher->session, scene, watcher->now_ns, &counters);
    }
}

static void save(struct watch_watcher *watcher, const struct watch_counters *counters, bool is_over)
{
    const struct watch_counters of_process = count_messages();
    const struct watch_ending ending = {.is_over = is_over,
                                        .now_ns = watch_clock_now_ns(),
                                        .wall_ns = watch_clock_read_ns(CLOCK_REALTIME),
                                        .start = watcher->process.start,
                                        .process = watcher->process.name,
                                        .process_counters = &of_process,
                                        .counters = counters};
    struct mb_buf text = {0};

    watch_session_put(&text, &watcher->session, &ending, &watcher->view);
    spool_take_session(watcher->spool, &text, watcher->process.start,
                       watcher->session.begin_wall_ns);
}

int64_t watch_sum_due_ns(const struct watch_watcher *watcher)
{
    if (watcher->spool == NULL || watcher->options.spool[0] == '\0') {
        return INT64_MAX;
    }
    const struct watch_counters counters = count_messages();
    return watch_session_due_ns(&watcher->session, &counters);
}

void watch_sum_save(struct watch_watcher *watcher, const struct watch_counters *counters)
{
    if (watcher->now_ns >= watch_sum_due_ns(watcher)) {
        save(watcher, counters, false);
        spool_write(watcher->spool);
    }
}

void watch_sum_end(struct watch_watcher *watcher, const struct watch_counters *counters)
{
    if (watcher->spool != NULL) {
        save(watcher, counters, true);
    }
}
