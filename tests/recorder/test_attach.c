#include "recorder/methodbeat.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define LONG_NAME "kotlinx-coroutines-DefaultDispatcher-worker-with-a-number-12345"

TestSuite(attach, .init = traces_make_folder, .fini = traces_remove_folder);

static void start(const char *file)
{
    struct beat_options options = traces_options(file);

    options.threads = BEAT_THREADS_ALL;
    cr_assert(beat_start(&options));
}

static bool has_ring_named(const char *name)
{
    struct traces_loaded loaded = traces_load(traces_path);
    struct abi_ring_view view;
    bool found = traces_find_ring(&loaded, name, &view);

    mb_buf_finish(&loaded.bytes);
    return found;
}

Test(attach, naming_a_thread_begins_no_recording)
{
    beat_name_thread("early");
    cr_assert(not(beat_is_recording()));
}

Test(attach, a_name_is_kept_from_before_the_first_ring)
{
    beat_name_thread(LONG_NAME);
    start(traces_path);
    beat_i(1);
    cr_assert(has_ring_named(LONG_NAME));
    beat_stop();
    start(traces_path); /* and for the next session */
    beat_i(1);
    cr_assert(has_ring_named(LONG_NAME));
    beat_name_thread("another");
    cr_assert(has_ring_named("another"));
}

static void *record_under_name(void *unused)
{
    beat_name_thread(LONG_NAME);
    beat_i(1);
    return unused;
}

Test(attach, a_name_outlives_its_thread)
{
    pthread_t thread;

    start(traces_path);
    cr_assert(eq(int, pthread_create(&thread, NULL, record_under_name, NULL), 0));
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
    cr_assert(has_ring_named(LONG_NAME));
}

static pthread_key_t late_key;

static void probe_late(void *unused)
{
    static __thread int rounds;

    (void)unused;
    beat_i(2);
    if (rounds++ < 2) { /* after our own destructor too */
        (void)pthread_setspecific(late_key, &rounds);
    }
}

static void *end_with_probes(void *unused)
{
    beat_i(1);
    (void)pthread_setspecific(late_key, &late_key);
    return unused;
}

Test(attach, probes_after_the_end_of_a_thread_are_let_go)
{
    pthread_t thread;

    cr_assert(eq(int, pthread_key_create(&late_key, probe_late), 0));
    start(NULL);
    for (int i = 0; i < 200; i++) { /* more than rings: all are given back */
        cr_assert(eq(int, pthread_create(&thread, NULL, end_with_probes, NULL), 0));
        cr_assert(eq(int, pthread_join(thread, NULL), 0));
    }
    cr_assert(beat_dump(traces_path));
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(eq(u64, loaded.trace.header.refused_words, 0));
    mb_buf_finish(&loaded.bytes);
}

/* All keys are somebody else's: the recorder must not use one of theirs. */
static void *use_key_zero(void *unused)
{
    const void *before = pthread_getspecific(0);

    (void)unused;
    beat_i(1);
    return (void *)(uintptr_t)(pthread_getspecific(0) == before);
}

Test(attach, without_a_key_the_ends_of_threads_go_unnoticed)
{
    pthread_key_t key;
    pthread_t thread;
    void *is_same;

    while (pthread_key_create(&key, NULL) == 0) {
    }
    start(traces_path);
    cr_assert(eq(int, pthread_create(&thread, NULL, use_key_zero, NULL), 0));
    cr_assert(eq(int, pthread_join(thread, &is_same), 0));
    cr_assert(not(zero(ptr, is_same)));
}

/* ---- Locks of the C library's ---- */

/* Stands for that of malloc: a probe in a signal handler has it if its thread had. */
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_wanted;

static void say(const char *line)
{
    (void)line;
    atomic_store(&is_wanted, true);
    (void)pthread_mutex_lock(&library);
    (void)pthread_mutex_unlock(&library);
}

static void *start_with_a_line(void *unused)
{
    struct beat_options options;

    beat_options_init(&options);
    options.log = say;
    options.mapping = "/nowhere/mapping.txt";
    (void)beat_start(&options);
    return unused;
}

Test(attach, does_not_wait_for_who_waits_for_its_thread, .timeout = 60)
{
    pthread_t starter;

    (void)pthread_mutex_lock(&library);
    cr_assert(eq(int, pthread_create(&starter, NULL, start_with_a_line, NULL), 0));
    while (!atomic_load(&is_wanted)) {
        (void)usleep(100);
    }
    errno = 77;
    beat_i(1);
    cr_expect(eq(int, errno, 77));
    (void)pthread_mutex_unlock(&library);
    (void)pthread_join(starter, NULL);
    cr_expect(beat_is_recording());
    beat_stop();
}
