#include "monitor/watch/loops.h"

#include "base/check.h"
#include "base/clock.h"
#include "monitor/watch/bell.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(WATCH_LOOP_COUNT == MON_LOOP_COUNT, "watch and the rules have the same loops");

struct loop {
    struct watch_cell cell;
    pthread_mutex_t lock; /* for who and name; held while functions of who run */
    struct watch_loop who;
    char name[WATCH_LOOP_NAME_SIZE];
    _Atomic(int32_t) thread; /* 0 if none */
    _Atomic(bool) can_ping;
    /* A ping that is back; the loop's thread writes, request last. */
    _Atomic(int64_t) pong_ns;
    _Atomic(bool) pong_heard;
    _Atomic(uint32_t) pong_request; /* 0 if none, or taken */
};

#define LOOP                              \
    {                                     \
        .lock = PTHREAD_MUTEX_INITIALIZER \
    }
#define LOOPS_4 LOOP, LOOP, LOOP, LOOP
static struct loop loops[WATCH_LOOP_COUNT] = {LOOPS_4, LOOPS_4, LOOPS_4, LOOPS_4};

static _Atomic(int64_t) slow_ns = WATCH_NEVER_SLOW;
static _Atomic(uint64_t) left_out;
static _Atomic(uint64_t) ends_alone;

/* The loop of the calling thread, or NULL. */
static MB_THREAD_LOCAL struct loop *mine;
static MB_THREAD_LOCAL bool was_refused; /* and counted */

static pthread_key_t end_key;
static bool has_end_key;
static pthread_mutex_t key_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Threads come and go ---- */

static void release_owner(struct loop *loop)
{
    (void)pthread_mutex_lock(&loop->lock);
    if (loop->who.release != NULL) {
        loop->who.release(loop->who.context);
    }
    loop->who = (struct watch_loop){0};
    atomic_store(&loop->can_ping, false);
    loop->name[0] = '\0';
    (void)pthread_mutex_unlock(&loop->lock);
}

/* The thread ends, perhaps in the middle of a message. */
static void end_thread(void *memory)
{
    struct loop *loop = memory;

    mine = NULL;
    was_refused = true; /* no new loop in later destructors */
    release_owner(loop);
    watch_cell_reset(&loop->cell);
    atomic_store(&loop->pong_request, 0);
    atomic_store(&loop->thread, 0); /* last: another thread may have it now */
}

/* Without a key the end of a thread would go unseen, and its loop be lost. */
static bool expect_end(struct loop *loop)
{
    (void)pthread_mutex_lock(&key_lock);
    has_end_key = has_end_key || pthread_key_create(&end_key, end_thread) == 0;
    bool is_expected = has_end_key && pthread_setspecific(end_key, loop) == 0;
    (void)pthread_mutex_unlock(&key_lock);
    return is_expected;
}

static void read_system_name(char name[WATCH_LOOP_NAME_SIZE])
{
    name[0] = '\0';
    (void)prctl(PR_GET_NAME, name, 0, 0, 0); /* 16 bytes */
}

/* NULL: the system's. */
static void set_name(struct loop *loop, const char *name)
{
    char own[WATCH_LOOP_NAME_SIZE];

    if (name == NULL) {
        read_system_name(own);
        name = own;
    }
    (void)pthread_mutex_lock(&loop->lock);
    (void)snprintf(loop->name, sizeof(loop->name), "%s", name);
    (void)pthread_mutex_unlock(&loop->lock);
}

MB_NOINLINE MB_COLD static struct loop *claim_loop(void)
{
    int32_t self = (int32_t)syscall(SYS_gettid);

    for (uint32_t i = 0; i < WATCH_LOOP_COUNT; i++) {
        int32_t nobody = 0;
        if (!atomic_compare_exchange_strong(&loops[i].thread, &nobody, self)) {
            continue;
        }
        if (!expect_end(&loops[i])) {
            atomic_store(&loops[i].thread, 0);
            break;
        }
        mine = &loops[i];
        set_name(mine, NULL);
        return mine;
    }
    was_refused = true;
    atomic_fetch_add(&left_out, 1);
    return NULL;
}

/* The loop of the calling thread, claimed if need be; NULL if all are taken. */
static struct loop *get_loop(void)
{
    if (mine != NULL || was_refused ||
        atomic_load_explicit(&slow_ns, memory_order_relaxed) == WATCH_NEVER_SLOW) {
        return mine;
    }
    return claim_loop();
}

void watch_loops_listen(int64_t slow)
{
    atomic_store(&slow_ns, slow);
}

void watch_loops_forget(void)
{
    (void)pthread_mutex_init(&key_lock, NULL);
    for (uint32_t i = 0; i < WATCH_LOOP_COUNT; i++) {
        struct loop *loop = &loops[i];
        (void)pthread_mutex_init(&loop->lock, NULL);
        loop->who = (struct watch_loop){0};
        atomic_store(&loop->can_ping, false);
        watch_cell_reset(&loop->cell);
        atomic_store(&loop->pong_request, 0);
        atomic_store(&loop->thread, 0);
    }
    if (mine != NULL) {
        (void)pthread_setspecific(end_key, NULL);
    }
    mine = NULL;
    was_refused = false;
    atomic_store(&slow_ns, WATCH_NEVER_SLOW);
}

/* ---- Messages ---- */

void watch_begin(void)
{
    struct loop *loop = mine;

    if (MB_UNLIKELY(loop == NULL)) {
        loop = get_loop();
        if (loop == NULL) {
            return;
        }
    }
    (void)watch_cell_begin(&loop->cell, atomic_load_explicit(&slow_ns, memory_order_relaxed));
    watch_bell_ring_if_resting();
}

void watch_end_as(const char *(*describe)(void *context), void *context)
{
    const struct watch_describer describer = {describe, context};
    struct loop *loop = mine;

    if (MB_UNLIKELY(loop == NULL)) {
        return;
    }
    if (MB_UNLIKELY(loop->cell.depth == 0)) {
        atomic_fetch_add_explicit(&ends_alone, 1, memory_order_relaxed);
        return;
    }
    if (MB_UNLIKELY(watch_cell_end(
            &loop->cell, atomic_load_explicit(&slow_ns, memory_order_relaxed), &describer))) {
        watch_bell_ring();
    }
}

void watch_end(void)
{
    watch_end_as(NULL, NULL);
}

uint32_t watch_depth(void)
{
    return mine != NULL ? mine->cell.depth + mine->cell.ignored_depth : 0;
}

void watch_unwind(uint32_t depth)
{
    while (watch_depth() > depth) {
        watch_end();
    }
}

bool watch_describe_loop(const struct watch_loop *who)
{
    struct loop *loop = mine != NULL || was_refused ? mine : claim_loop();

    if (loop == NULL) {
        return false;
    }
    release_owner(loop);
    set_name(loop, who->name);
    (void)pthread_mutex_lock(&loop->lock);
    loop->who = *who;
    loop->who.name = NULL; /* kept apart */
    atomic_store(&loop->can_ping, who->ping != NULL);
    watch_bell_ring(); /* a watcher that rests without a time limit can ping now */
    (void)pthread_mutex_unlock(&loop->lock);
    return true;
}

void watch_pong(uint32_t request)
{
    struct loop *loop = mine;

    if (loop == NULL || request == 0) {
        return;
    }
    atomic_store_explicit(&loop->pong_ns, mb_clock_now_ns(), memory_order_relaxed);
    atomic_store_explicit(&loop->pong_heard, loop->cell.depth > 0, memory_order_relaxed);
    /* Release pairs with the acquire in watch_loop_take_pong. */
    atomic_store_explicit(&loop->pong_request, request, memory_order_release);
    watch_bell_ring_if_resting();
}

/* ---- The watcher ---- */

bool watch_loop_is_there(uint32_t loop)
{
    return atomic_load(&loops[loop].thread) != 0;
}

struct watch_cell *watch_loop_cell(uint32_t loop)
{
    return &loops[loop].cell;
}

int32_t watch_loop_thread(uint32_t loop)
{
    int32_t thread = atomic_load(&loops[loop].thread);

    return thread != 0 ? thread : -1;
}

bool watch_loop_can_ping(uint32_t loop)
{
    return atomic_load(&loops[loop].can_ping);
}

void watch_loop_name(uint32_t loop, char name[WATCH_LOOP_NAME_SIZE])
{
    (void)pthread_mutex_lock(&loops[loop].lock);
    memcpy(name, loops[loop].name, WATCH_LOOP_NAME_SIZE);
    (void)pthread_mutex_unlock(&loops[loop].lock);
}

void watch_loops_name_caller(char name[WATCH_LOOP_NAME_SIZE])
{
    if (mine != NULL) {
        watch_loop_name((uint32_t)(mine - loops), name);
    } else {
        read_system_name(name);
    }
}

bool watch_loop_ping(uint32_t loop, uint32_t request)
{
    (void)pthread_mutex_lock(&loops[loop].lock);
    const struct watch_loop *who = &loops[loop].who;
    bool can = who->ping != NULL;
    if (can) {
        who->ping(who->context, request);
    }
    (void)pthread_mutex_unlock(&loops[loop].lock);
    return can;
}

bool watch_loop_stack(uint32_t loop, struct watch_stack *stack)
{
    (void)pthread_mutex_lock(&loops[loop].lock);
    const struct watch_loop *who = &loops[loop].who;
    bool can = who->stack != NULL;
    if (can) {
        who->stack(who->context, stack);
    }
    (void)pthread_mutex_unlock(&loops[loop].lock);
    return can;
}

bool watch_loop_take_pong(uint32_t number, struct watch_pong *pong)
{
    struct loop *loop = &loops[number];
    uint32_t request = atomic_load_explicit(&loop->pong_request, memory_order_acquire);

    if (request == 0) {
        return false;
    }
    *pong = (struct watch_pong){
        .at_ns = atomic_load_explicit(&loop->pong_ns, memory_order_relaxed),
        .request = request,
        .was_heard = atomic_load_explicit(&loop->pong_heard, memory_order_relaxed),
    };
    /* Clear only the pong that was read; a newer one stays. */
    (void)atomic_compare_exchange_strong(&loop->pong_request, &request, 0);
    return true;
}

void watch_loops_count(struct watch_counters *counters)
{
    counters->loops_left_out = atomic_load(&left_out);
    counters->ends_alone = atomic_load(&ends_alone);
    for (uint32_t i = 0; i < WATCH_LOOP_COUNT; i++) {
        for (uint32_t class = 0; class < WATCH_LENGTH_COUNT; class ++) {
            uint64_t count = atomic_load(&loops[i].cell.lengths[class]);
            counters->lengths[class] += count;
            counters->messages += count;
        }
        counters->deep_messages += atomic_load(&loops[i].cell.deep);
        counters->slow_left_out += atomic_load(&loops[i].cell.left_out);
    }
}
