#include "monitor/start.h"

#include "simulator.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scripts of words "MS:WHAT", with what is told of the starts in them. APP events: process,
 * requested, first, fg (installed in the foreground), bg, app100 (created), window, other (the
 * system's word), fully. Windows: +A created, +A! with saved state, A> started, A^ resumed, A*
 * drawn, A@ focused, A~ unfocused, A_ paused, A. stopped, -A destroyed. gapN: the process stands
 * still for N ms. */
struct start_case {
    char what[64];
    char script[400];
    char told[700];
    char counted[64]; /* broken off, unseen, odd */
};

#define FIGURES(app, what, screen, duration, warm)                           \
    "{\"application_create\":" #app ",\"application_create_scene\":" #what   \
    ",\"first_activity_create\":" #screen ",\"startup_duration\":" #duration \
    ",\"is_warm_start_up\":" #warm "}"

static const struct start_case start_cases[] = {
    {"cold", "100:process 150:first 160:fg 400:app159 420:+A 430:A> 440:A^ 700:A* 720:A@ 5000:",
     FIGURES(250, 159, 570, 570, false) "cold drawn 600 focused 620 A;", "0 0 0"},
    {"cold, by a request",
     "50:requested 100:process 150:first 160:fg 400:app100 420:+A 430:A> "
     "700:A* 720:A@ 5000:",
     FIGURES(250, 100, 570, 570, false) "cold drawn 650 focused 670 A;", "0 0 0"},
    {"the system says it was for a window",
     "100:process 160:bg 400:app113 3000:window 4420:+A 4430:A> 4700:A* 4720:A@ 9000:",
     FIGURES(300, 113, 4620, 4620, false) "cold drawn 4600 focused 4620 A;", "0 0 0"},
    {"the system says it was not",
     "100:process 160:fg 400:app100 410:other 420:+A 430:A> 700:A* 720:A@ 5000:",
     FIGURES(0, 0, 0, 300, true) "warm drawn 280 focused 300 A;", "0 1 0"},
    {"by a broadcast, nothing shown", "100:process 160:bg 400:app113 9000:", "", "0 0 0"},
    {"by a service, later shown",
     "100:process 160:bg 400:app114 60000:+A 60010:A> 60200:A* 60210:A@ 65000:",
     FIGURES(0, 0, 0, 210, true) "warm drawn 200 focused 210 A;", "0 1 0"},
    {"in the foreground, and shown too late",
     "100:process 160:fg 400:app100 2500:+A 2510:A> 2600:A* 2610:A@ 9000:",
     FIGURES(0, 0, 0, 110, true) "warm drawn 100 focused 110 A;", "0 1 0"},
    {"splash",
     "100:process 160:fg 400:app100 420:+S 430:S> 500:S* 510:S@ 900:S_ 905:S~ 910:+A "
     "920:A> 1000:A* 1010:A@ 1100:S. 1110:-S 5000:",
     FIGURES(300, 100, 410, 910, false) "cold drawn 900 focused 910 A;", "0 0 0"},
    {"two windows, the first never drawn",
     "100:process 160:fg 400:app100 420:+B 425:-B 430:+A 440:A> 700:A* 710:A@ 5000:",
     FIGURES(300, 100, 610, 610, false) "cold drawn 600 focused 610 A;", "0 0 0"},
    {"saved state", "100:process 160:fg 400:app100 420:+A! 430:A> 700:A* 710:A@ 5000:",
     FIGURES(300, 100, 610, 610, false) "cold saved drawn 600 focused 610 A;", "0 0 0"},
    {"warm after back",
     "100:process 160:fg 400:app100 420:+A 430:A> 500:A* 510:A@ 5000:A_ 5010:A. 5020:-A 9000:+A "
     "9010:A> 9100:A* 9130:A@ 12000:",
     FIGURES(300, 100, 410, 410, false) "cold drawn 400 focused 410 A;" FIGURES(
         0, 0, 0, 130, true) "warm drawn 100 focused 130 A;",
     "0 0 0"},
    {"hot after home",
     "100:process 160:fg 400:app100 420:+A 430:A> 500:A* 510:A@ 5000:A_ 5005:A~ 5010:A. 9000:A> "
     "9010:A^ 9070:A@ 12000:",
     FIGURES(300, 100, 410, 410,
             false) "cold drawn 400 focused 410 A;" FIGURES(0, 0, 0, 70, true) "hot focused 70 A;",
     "0 0 0"},
    {"rotation is no start",
     "100:process 160:fg 400:app100 420:+A 430:A> 500:A* 510:A@ 5000:A_ 5010:A. 5020:-A 5100:+A "
     "5110:A> 5200:A* 5210:A@ 12000:",
     FIGURES(300, 100, 410, 410, false) "cold drawn 400 focused 410 A;", "0 0 0"},
    {"the next screen is no start",
     "100:process 160:fg 400:app100 420:+A 430:A> 500:A* 510:A@ 5000:A_ 5005:A~ 5020:+B 5030:B> "
     "5100:B* 5110:B@ 5200:A. 12000:",
     FIGURES(300, 100, 410, 410, false) "cold drawn 400 focused 410 A;", "0 0 0"},
    {"background in between",
     "100:process 160:fg 400:app100 420:+A 430:A> 500:A_ 510:A. 9000:A> 9100:A* 9110:A@ 15000:",
     FIGURES(0, 0, 0, 110, true) "hot drawn 100 focused 110 A;", "1 0 0"},
    {"negative clock", "9000:process 500:fg 600:app100 620:+A 630:A> 700:A* 720:A@ 5000:",
     FIGURES(100, 100, 220, 220, false) "cold drawn 200 focused 220 A;", "0 0 0"},
    {"a process that waited for its program for an hour",
     "100:process 3600000:first 3600010:fg 3600100:app100 3600120:+A 3600130:A> 3600200:A* "
     "3600210:A@ 3605000:",
     FIGURES(100, 100, 210, 210, false) "cold drawn 200 focused 210 A;", "0 0 0"},
    {"the user looked away for a minute",
     "100:process 160:fg 400:app100 420:+A 430:A> 60000:A* 60010:A@ 65000:", "", "0 0 1"},
    {"the process stood still",
     "100:process 160:fg 400:app100 420:+A 430:A> 450:gap40000 40700:A* 40720:A@ 45000:",
     FIGURES(300, 100, 920, 920, false) "cold drawn 900 focused 920 A;",
     "0 0 0"}, /* from the next tick on */
    {"never focused", "100:process 160:fg 400:app100 420:+A 430:A> 700:A* 31000:",
     FIGURES(300, 100, 0, 600, false) "cold drawn 600 A;", "0 0 0"},
    {"fully drawn soon",
     "100:process 160:fg 400:app100 420:+A 430:A> 600:A* 650:fully 720:A@ 9000:",
     FIGURES(300, 100, 620, 620, false) "cold drawn 500 focused 620 fully 550 A;", "0 0 0"},
    {"many transactions",
     "100:process 160:fg 400:app159 420:+A 425:A> 430:A_ 435:+B 440:B> 445:B_ 450:+A2 455:A2> "
     "460:A2^ 500:A2* 510:A2@ 520:A. 530:B. 5000:",
     FIGURES(300, 159, 410, 410, false) "cold drawn 400 focused 410 A2;", "0 0 0"},
    {"a program that tells nothing of its start", "420:+A 430:A> 700:A* 720:A@ 5000:",
     FIGURES(0, 0, 0, 300, true) "warm drawn 280 focused 300 A;", "0 1 0"},
};

static struct sim *sim;

static const struct {
    const char *word;
    enum mon_app_what what;
    uint32_t value;
} app_words[] = {
    {"process", MON_APP_PROCESS, 0},
    {"requested", MON_APP_REQUESTED, 0},
    {"first", MON_APP_FIRST, 0},
    {"fg", MON_APP_INSTALLED, 1},
    {"bg", MON_APP_INSTALLED, 0},
    {"app100", MON_APP_CREATED, 100},
    {"app113", MON_APP_CREATED, 113},
    {"app114", MON_APP_CREATED, 114},
    {"app159", MON_APP_CREATED, 159},
    {"window", MON_APP_REASON, MON_REASON_WINDOW},
    {"other", MON_APP_REASON, MON_REASON_OTHER},
    {"fully", MON_APP_DRAWN, 0},
};

static enum mon_window_what what_of(char sign)
{
    static const char signs[] = {
        [MON_WINDOW_CREATED] = '+', [MON_WINDOW_STARTED] = '>', [MON_WINDOW_RESUMED] = '^',
        [MON_WINDOW_PAUSED] = '_',  [MON_WINDOW_STOPPED] = '.', [MON_WINDOW_DESTROYED] = '-',
        [MON_WINDOW_DRAWN] = '*',   [MON_WINDOW_FOCUSED] = '@', [MON_WINDOW_UNFOCUSED] = '~'};
    const char *found = memchr(signs, sign, sizeof(signs));

    cr_assert_not_null(found, "%c", sign);
    return (enum mon_window_what)(found - signs);
}

static void take_window(struct mon_event *event, const char *word)
{
    bool is_first = word[0] == '+' || word[0] == '-';
    char name[16] = "";

    (void)sscanf(word + is_first, "%15[A-Z0-9]", name);
    event->kind = MON_WINDOW;
    event->window.what = what_of(is_first ? word[0] : word[strlen(word) - 1]);
    event->window.id = (uint32_t)(name[0] + name[1] * 256);
    event->window.name = sim_name(sim, name);
    event->window.has_state = word[strlen(word) - 1] == '!';
}

static bool take_app(struct mon_event *event, const char *word)
{
    for (size_t i = 0; i < MB_COUNT(app_words); i++) {
        if (strcmp(app_words[i].word, word) == 0) {
            event->kind = MON_APP;
            event->app.what = app_words[i].what;
            event->app.value = app_words[i].value;
            return true;
        }
    }
    return false;
}

/* Runs to the time of each word, and feeds it. */
static void play(const char *script)
{
    char copy[400];
    char *rest = copy;

    (void)snprintf(copy, sizeof(copy), "%s", script);
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        char *text = strchr(word, ':');
        struct mon_event event = {.at_ns = strtoll(word, NULL, 10) * SIM_MS};
        cr_assert_not_null(text, "%s", word);
        if (event.at_ns > sim->now_ns && strcmp(text, ":process") != 0) {
            sim_run(sim, event.at_ns / SIM_MS);
        }
        if (strncmp(text, ":gap", 4) == 0) {
            sim_gap(sim, event.at_ns / SIM_MS, event.at_ns / SIM_MS + atoi(text + 4));
        } else if (text[1] != '\0' && !take_app(&event, text + 1)) {
            take_window(&event, text + 1);
        }
        if (event.kind != 0) {
            sim_feed(sim, &event);
        }
    }
}

/* What a case has of an issue. */
static void put_start(struct mb_buf *out, const char *line)
{
    const char *figures = strstr(line, "\"application_create\"");
    const char *own = strstr(line, "\"methodbeat\"");
    char kind[8];
    char scene[8];
    int ms;

    cr_assert_not_null(own, "%s", line);
    mb_buf_put_u1(out, '{');
    mb_buf_put(out, figures, (size_t)(own - 1 - figures));
    const char *start = strstr(own, "\"start\":{\"kind\":\"");
    cr_assert(eq(int, sscanf(start, "\"start\":{\"kind\":\"%7[a-z]", kind), 1));
    mb_buf_printf(out, "}%s", kind);
    mb_buf_put_string(out, strstr(start, "\"saved_state\":true") != NULL ? " saved" : "");
    static const char *const keys[][2] = {{"\"drawn_ms\":", "drawn"},
                                          {"\"focused_ms\":", "focused"},
                                          {"\"fully_drawn_ms\":", "fully"}};
    for (size_t i = 0; i < MB_COUNT(keys); i++) {
        const char *place = strstr(start, keys[i][0]);
        if (place != NULL && sscanf(place + strlen(keys[i][0]), "%d", &ms) == 1) {
            mb_buf_printf(out, " %s %d", keys[i][1], ms);
        }
    }
    const char *shown = strstr(own, "\"screen\":\"");
    cr_assert_not_null(shown, "%s", own);
    cr_assert(eq(int, sscanf(shown, "\"screen\":\"%7[A-Z0-9]", scene), 1));
    mb_buf_printf(out, " %s;", scene);
}

EACH_ROW(start, of_each_kind, start_cases);

ParameterizedTest(size_t *row, start, of_each_kind)
{
    const struct start_case *c = &start_cases[*row];
    struct mb_buf found = {0};
    struct mb_text text;
    char counted[64];

    sim = sim_create();
    cr_assert(mon_options_set(&sim->options, "splash", "X,S;T"));
    sim_start(sim);
    play(c->script);
    text = (struct mb_text){(const char *)sim->text.bytes, sim->text.size};
    while (text.size > 0) {
        struct mb_text line = mb_text_split(&text, '\n');
        char *copy = strndup(line.data, line.size);
        put_start(&found, copy);
        free(copy);
    }
    mb_buf_put_u1(&found, '\0');
    cr_assert_str_eq((const char *)found.bytes, c->told, "%s:\n%s", c->what, (char *)found.bytes);
    const struct mon_counters *counters = mon_counters(sim->mon);
    (void)snprintf(counted, sizeof(counted), "%d %d %d", (int)counters->starts_broken_off,
                   (int)counters->starts_unseen, (int)counters->starts_odd);
    cr_assert_str_eq(counted, c->counted, "%s: %s", c->what, counted);
    mb_buf_finish(&found);
    sim_destroy(sim);
}

#define COLD "100:process 150:first 160:fg 400:app100 420:+A 430:A> 700:A* "

Test(start, a_slow_one_is_told_with_its_trace)
{
    sim = sim_create();
    sim_start(sim);
    play(COLD "11000:A@ 20000:");
    cr_assert(eq(u32, sim->issue_count, 2));
    cr_assert(eq(int, sim->issues[0].detail, MON_START));
    cr_assert(eq(int, sim->issues[1].detail, MON_SLOW_START));
    cr_assert(eq(u32, sim->issues[1].trace_key, 171));
    cr_assert(eq(i64, sim->issues[1].cost_ns, 10900 * SIM_MS));
    sim_destroy(sim);
}

Test(start, a_slow_one_does_not_wait_for_a_trace_for_ever)
{
    sim = sim_create();
    sim->hides_traces = true;
    cr_assert(mon_options_set(&sim->options, "start_ms", "100"));
    sim_start(sim);
    play(COLD "720:A@ 2000:");
    cr_assert(eq(u32, sim->issue_count, 1));
    play("9000:");
    cr_assert(eq(u32, sim->issue_count, 2));
    cr_assert(eq(u32, sim->issues[1].trace_key, 0));
    sim_destroy(sim);
}

Test(start, is_told_when_the_monitors_stop)
{
    struct mon_event stop = {.kind = MON_STOP};

    sim = sim_create();
    sim->hides_traces = true;
    cr_assert(mon_options_set(&sim->options, "start_ms", "100"));
    sim_start(sim);
    play(COLD "800:"); /* no focus yet */
    stop.at_ns = sim->now_ns;
    sim_feed(sim, &stop);
    sim_run(sim, 900);
    cr_assert(eq(u32, sim->issue_count, 2));
    sim_destroy(sim);
}

Test(start, off_is_off)
{
    sim = sim_create();
    cr_assert(mon_options_set(&sim->options, "start_enable", "0"));
    sim_start(sim);
    play(COLD "720:A@ 9000:");
    cr_assert(eq(u32, sim->issue_count, 0));
    sim_destroy(sim);
}

/* Each script with its events of a tick in another order. */
Test(start, does_not_hang_on_the_order_of_a_batch)
{
    static const char *const words[] = {"process", "fg", "app100", "+A", "A>", "A*", "A@"};

    for (uint64_t shuffle = 0; shuffle < 30; shuffle++) {
        sim = sim_create();
        sim_start(sim);
        sim->shuffle = shuffle;
        for (size_t w = 0; w < MB_COUNT(words); w++) {
            struct mon_event event = {.at_ns = (int64_t)(100 + w * 10) * SIM_MS};
            if (!take_app(&event, words[w])) {
                take_window(&event, words[w]);
            }
            sim_feed(sim, &event);
        }
        sim_run(sim, 3000);
        cr_assert(eq(u32, sim->issue_count, 1));
        cr_assert(eq(i64, sim->issues[0].cost_ns, 60 * SIM_MS));
        sim_destroy(sim);
    }
}
