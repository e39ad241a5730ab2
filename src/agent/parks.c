#include "agent/parks.h"

#include "abi/sampling.h"
#include "agent/jvm.h"
#include "base/check.h"
#include "classfile/class.h"
#include "classfile/opcode.h"
#include "instrument/weave/rewrite.h"
#include "jni/exceptions.h"
#include "sampler/jvmti/methods.h"
#include "sampler/jvmti/runtime.h"

#include <stdatomic.h>
#include <string.h>

#define SUPPORT "java/util/concurrent/locks/LockSupport"
#define CALLED "java/lang/$MethodBeatParks"
#define KNOWN 256u

static struct {
    _Atomic(bool) is_on;
    jclass support;      /* global references; NULL: not to be had */
    jclass virtual_type; /* of threads that have no thread of the system */
} parks;

/* The calling thread's blocker, or NULL: it goes on. What it parks for else was not told. */
static void JNICALL note(JNIEnv *env, jclass type, jthread thread, jobject blocker)
{
    static MB_THREAD_LOCAL bool is_told;
    bool was_told = is_told;

    (void)type;
    if (parks.virtual_type != NULL &&
        (*env)->IsInstanceOf(env, thread, parks.virtual_type) != JNI_FALSE) {
        return;
    }
    is_told = blocker != NULL;
    if (is_told) {
        jvmti_block_begin(env, thread, ABI_BLOCK_LOCK, blocker);
    } else if (was_told) {
        jvmti_block_end(env, ABI_BLOCK_LOCK);
    }
}

static bool prepare_class(JNIEnv *env)
{
    static char name[] = "note";
    static char descriptor[] = "(Ljava/lang/Thread;Ljava/lang/Object;)V";
    const JNINativeMethod natives[] = {{name, descriptor, (void *)(uintptr_t)note}};
    jclass called = parks.support == NULL ? (*env)->FindClass(env, "methodbeat/ParkNote") : NULL;

    if (called != NULL && (*env)->RegisterNatives(env, called, natives, 1) == JNI_OK) {
        parks.virtual_type = jni_find_class(env, "java/lang/BaseVirtualThread");
        parks.support = jni_find_class(env, SUPPORT);
    }
    (void)jni_forget_exception(env);
    (*env)->DeleteLocalRef(env, called);
    return parks.support != NULL;
}

void agent_parks_set(JNIEnv *env, bool is_on)
{
    if (atomic_load(&parks.is_on) != is_on && (!is_on || prepare_class(env))) {
        atomic_store(&parks.is_on, is_on);
        (void)(*agent_jvm.jvmti)->RetransformClasses(agent_jvm.jvmti, 1, &parks.support);
    }
}

/* Puts a call after the store of the blocker, which is in one method. */
static enum mb_status weave_class(struct mb_text content, struct mb_arena *arena,
                                  struct mb_buf *out)
{
    static const struct weave_beat beat = {.class_name = MB_TEXT_ROW(CALLED),
                                           .exceptions = WEAVE_EXCEPTIONS_RETURNS};
    struct weave_rewriter *rewriter = weave_rewriter_create(&beat);
    struct cf_class file;
    struct weave_result result;
    enum mb_status status =
        cf_class_parse(&file, arena, (const uint8_t *)content.data, content.size, NULL);
    uint32_t *ids = status == MB_OK && rewriter != NULL
                        ? MB_NEW_ARRAY(arena, uint32_t, (size_t)file.method_count + 1)
                        : NULL;

    for (uint16_t i = 0; ids != NULL && i < file.method_count; i++) {
        ids[i] = mb_text_is(cf_member_name(&file, &file.methods[i]), "setBlocker");
    }
    const struct weave_request request = {.cls = &file, .ids = ids, .focus = WEAVE_FOCUS_NONE};
    status = ids != NULL ? weave_rewrite(rewriter, &request, out, &result, NULL) : MB_NO_MEMORY;
    weave_rewriter_destroy(rewriter);
    return status;
}

bool agent_parks_weave(const char *name, struct mb_text content, struct mb_buf *out)
{
    struct mb_arena arena = {0};
    bool is_it = name != NULL && strcmp(name, SUPPORT) == 0;

    if (is_it && atomic_load(&parks.is_on) && weave_class(content, &arena, out) != MB_OK) {
        mb_buf_reset(out);
    }
    mb_arena_finish(&arena);
    return is_it;
}

/* ---- Who takes a lock ---- */

/* [by method]: the method, shifted, and whether it takes one. */
static _Atomic(uintptr_t) known[KNOWN];

/* Of any class, since a program's may extend a lock. */
static bool takes_lock(const struct cf_pool *pool, uint16_t index)
{
    static const struct {
        const char *name;
        const char *descriptor;
    } rows[] = {
        {"lock", "()V"},
        {"lockInterruptibly", "()V"},
        {"tryLock", "()Z"},
        {"tryLock", "(JLjava/util/concurrent/TimeUnit;)Z"},
    };
    struct cf_ref ref = {0};
    bool takes = false;

    for (size_t i = 0; cf_pool_ref(pool, index, &ref) && i < MB_COUNT(rows) && !takes; i++) {
        takes =
            mb_text_is(ref.name, rows[i].name) && mb_text_is(ref.descriptor, rows[i].descriptor);
    }
    return takes;
}

static bool has_call(const struct cf_pool *pool, const uint8_t *code, uint32_t size)
{
    bool has = false;
    uint32_t step;

    for (uint32_t pc = 0; !has && (step = cf_insn_size(code, size, pc)) > 0; pc += step) {
        uint8_t opcode = cf_insn_opcode(code, pc);
        has = (opcode == CF_OP_INVOKEVIRTUAL || opcode == CF_OP_INVOKEINTERFACE) &&
              takes_lock(pool, cf_insn_pool_index(code, pc));
    }
    return has;
}

/* As a class file has it, its count first. False if the JVM does not tell, or without memory. */
static bool parse_pool(struct cf_pool *pool, struct mb_arena *arena, struct mb_buf *bytes,
                       jvmtiEnv *jvmti, jclass type)
{
    unsigned char *entries = NULL;
    jint count = 0;
    jint size = 0;

    if ((*jvmti)->GetConstantPool(jvmti, type, &count, &size, &entries) == JVMTI_ERROR_NONE) {
        mb_buf_put_u2(bytes, (uint16_t)count);
        mb_buf_put(bytes, entries, (size_t)size);
    }
    (void)(*jvmti)->Deallocate(jvmti, entries);
    struct cf_cursor in = cf_cursor_over(bytes->bytes, bytes->size);
    return bytes->size > 0 && cf_pool_parse(pool, arena, &in, NULL) == MB_OK;
}

/* Code of before a class was redefined has other constants. */
static bool calls_lock(jvmtiEnv *jvmti, JNIEnv *env, jclass type, jmethodID method)
{
    struct mb_arena arena = {0};
    struct mb_buf bytes = {0};
    struct cf_pool pool;
    unsigned char *code = NULL;
    jboolean is_old = JNI_FALSE;
    jint size = 0;

    (void)(*jvmti)->IsMethodObsolete(jvmti, method, &is_old);
    bool calls = is_old == JNI_FALSE && jvmti_has_loader(jvmti, env, type) &&
                 parse_pool(&pool, &arena, &bytes, jvmti, type) &&
                 (*jvmti)->GetBytecodes(jvmti, method, &size, &code) == JVMTI_ERROR_NONE &&
                 has_call(&pool, code, (uint32_t)size);
    (void)(*jvmti)->Deallocate(jvmti, code);
    mb_buf_finish(&bytes);
    mb_arena_finish(&arena);
    return calls;
}

static bool is_taker(jvmtiEnv *jvmti, JNIEnv *env, void *method)
{
    uintptr_t key = (uintptr_t)method << 1;
    _Atomic(uintptr_t) *place = &known[(key >> 4) % KNOWN];
    uintptr_t is = atomic_load_explicit(place, memory_order_relaxed);

    if (is >> 1 == key >> 1) {
        return (is & 1) != 0;
    }
    jclass type = jvmti_methods_class(env, method);
    bool calls = type != NULL && calls_lock(jvmti, env, type, method);
    if (type != NULL) {
        atomic_store_explicit(place, key | calls, memory_order_relaxed);
    }
    (*env)->DeleteLocalRef(env, type);
    return calls;
}

void agent_parks_find_takers(uint32_t kind, void *lock, const struct samp_frame *frames,
                             size_t count, struct samp_place *places)
{
    jvmtiEnv *jvmti = jvmti_runtime_env();
    JNIEnv *env = jvmti_runtime_jni();
    bool is_found = false;

    jvmti_monitor_takers(kind, lock, frames, count, places);
    for (size_t i = 0; i < count && !is_found && kind != ABI_BLOCK_MONITOR; i++) {
        is_found = is_taker(jvmti, env, frames[i].method);
        places[i].takes = is_found ? SAMP_TAKES_SOME : SAMP_TAKES_NONE;
    }
}
