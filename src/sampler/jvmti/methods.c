#include "sampler/jvmti/methods.h"

#include "abi/names.h"
#include "base/vec.h"
#include "sampler/ids.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 16384u

struct line {
    uint32_t start; /* bci of its first instruction */
    uint32_t number;
};

/* What is known of a method once a stack has named it; lasts until all are forgotten. */
struct method {
    uint32_t id;
    bool is_ours;
    bool takes_lock;
    uint32_t line_count;
    struct line *lines; /* in order */
};

struct slot {
    void *key; /* its jmethodID; NULL: free; &unknown: its class is gone */
    uint32_t class_number;
    struct method *method; /* NULL: not named yet */
};

/* Under the lock. What is known of classes that are gone goes as the table grows. */
static struct {
    pthread_mutex_t lock;
    struct slot *slots;
    size_t mask;
    size_t count;
    MB_VEC(jweak) classes; /* by number; NULL: of none */
    size_t first_free;     /* number, at least */
} methods = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What a stack names without an id, or with one whose class is gone. */
static struct method unknown;

/* ---- The table ---- */

static struct slot *find_slot(struct slot *slots, size_t mask, const void *key)
{
    size_t at = (size_t)(((uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & mask;

    while (slots[at].key != NULL && slots[at].key != key) {
        at = (at + 1) & mask;
    }
    return &slots[at];
}

static void free_method(struct method *method)
{
    if (method != NULL && method != &unknown) {
        free(method->lines);
        free(method);
    }
}

static bool is_gone(JNIEnv *env, jweak type)
{
    return (*env)->IsSameObject(env, type, NULL) != JNI_FALSE;
}

static jweak class_of(const struct slot *slot)
{
    assert(slot->class_number < MB_VEC_COUNT(&methods.classes));
    return methods.classes.items[slot->class_number];
}

/* Their methods stay in the table for the moment. */
static void drop_gone_classes(JNIEnv *env)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&methods.classes); i++) {
        jweak type = methods.classes.items[i];
        if (type != NULL && is_gone(env, type)) {
            (*env)->DeleteWeakGlobalRef(env, type);
            methods.classes.items[i] = NULL;
        }
    }
    methods.first_free = 0;
}

static bool is_live(const struct slot *slot)
{
    return slot->key != NULL && slot->key != &unknown;
}

/* Returns the number of methods that have a class. */
static size_t drop_gone_methods(void)
{
    size_t live = 0;

    for (size_t i = 0; methods.slots != NULL && i <= methods.mask; i++) {
        struct slot *slot = &methods.slots[i];
        if (is_live(slot) && class_of(slot) == NULL) {
            free_method(slot->method);
            *slot = (struct slot){.key = &unknown};
        }
        live += is_live(slot);
    }
    return live;
}

static void move_live(struct slot *more, size_t mask)
{
    for (size_t i = 0; methods.slots != NULL && i <= methods.mask; i++) {
        if (is_live(&methods.slots[i])) {
            *find_slot(more, mask, methods.slots[i].key) = methods.slots[i];
        }
    }
    free(methods.slots);
    methods.slots = more;
    methods.mask = mask;
}

/* A table of which these fill half at most, so that looks at what is gone are few. */
static bool make_room(JNIEnv *env, size_t more_count)
{
    size_t size = FIRST_SLOTS;

    drop_gone_classes(env);
    size_t live = drop_gone_methods();
    while (2 * (live + more_count) >= size) {
        size *= 2;
    }
    struct slot *more = calloc(size, sizeof(*more));
    if (more != NULL) {
        move_live(more, size - 1);
        methods.count = live;
    }
    return more != NULL;
}

static bool has_room(JNIEnv *env, size_t more_count)
{
    return (methods.slots != NULL && 4 * (methods.count + more_count) < 3 * methods.mask) ||
           make_room(env, more_count);
}

static uint32_t number_class(jweak type)
{
    while (methods.first_free < MB_VEC_COUNT(&methods.classes) &&
           methods.classes.items[methods.first_free] != NULL) {
        methods.first_free++;
    }
    if (methods.first_free == MB_VEC_COUNT(&methods.classes)) {
        MB_VEC_PUSH(&methods.classes, NULL);
    }
    if (!methods.classes.buf.failed) {
        methods.classes.items[methods.first_free] = type;
    }
    return (uint32_t)methods.first_free;
}

/* One that is there keeps its class, unless that is gone. */
static void put_method(JNIEnv *env, jmethodID method, uint32_t class_number)
{
    struct slot *slot = find_slot(methods.slots, methods.mask, method);

    if (slot->key == NULL || is_gone(env, class_of(slot))) {
        methods.count += slot->key == NULL;
        free_method(slot->method);
        *slot = (struct slot){.key = method, .class_number = class_number};
    }
}

/* Without memory they are left out, and have no names. */
static void put_class(JNIEnv *env, jweak type, const jmethodID *list, jint count)
{
    (void)pthread_mutex_lock(&methods.lock);
    bool has = has_room(env, (size_t)count);
    uint32_t number = has ? number_class(type) : 0;
    for (jint i = 0; has && !methods.classes.buf.failed && i < count; i++) {
        put_method(env, list[i], number);
    }
    (void)pthread_mutex_unlock(&methods.lock);
}

/* Tells loaders apart, mostly; 0 for the JVM's own. */
static uint32_t loader_number(jvmtiEnv *jvmti, JNIEnv *env, jclass type)
{
    jobject loader = NULL;
    jint hash = 0;

    if ((*jvmti)->GetClassLoader(jvmti, type, &loader) == JVMTI_ERROR_NONE && loader != NULL) {
        (void)(*jvmti)->GetObjectHashCode(jvmti, loader, &hash);
        (*env)->DeleteLocalRef(env, loader);
    }
    return (uint32_t)hash;
}

/* The JVM keeps an id for good, also when its class is gone. */
static bool may_have_ids(jvmtiEnv *jvmti, JNIEnv *env, jclass type)
{
    uint32_t loader = loader_number(jvmti, env, type);
    char *signature = NULL;
    bool may = true;

    if (loader != 0 && (*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) == 0) {
        may = samp_ids_admit_class(jvmti_class_name(signature), loader);
        (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    return may;
}

void jvmti_methods_add_class(jvmtiEnv *jvmti, JNIEnv *env, jclass type)
{
    jmethodID *list = NULL;
    jint count = 0;

    if (!may_have_ids(jvmti, env, type)) {
        samp_ids_leave_out_class();
        return;
    }
    if ((*jvmti)->GetClassMethods(jvmti, type, &count, &list) != JVMTI_ERROR_NONE) {
        return; /* not prepared yet, or an array */
    }
    jweak held = count > 0 ? (*env)->NewWeakGlobalRef(env, type) : NULL;
    if (held != NULL) {
        put_class(env, held, list, count);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)list);
}

void jvmti_methods_add(jvmtiEnv *jvmti, JNIEnv *env, jmethodID method)
{
    jclass type = NULL;

    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &type) != JVMTI_ERROR_NONE) {
        return;
    }
    jweak held = may_have_ids(jvmti, env, type) ? (*env)->NewWeakGlobalRef(env, type) : NULL;
    if (held != NULL) {
        put_class(env, held, &method, 1);
    }
    (*env)->DeleteLocalRef(env, type);
}

void jvmti_methods_know(jvmtiEnv *jvmti, JNIEnv *env, const struct samp_frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        (void)pthread_mutex_lock(&methods.lock);
        bool is_known = methods.slots != NULL &&
                        find_slot(methods.slots, methods.mask, frames[i].method)->key != NULL;
        (void)pthread_mutex_unlock(&methods.lock);
        if (!is_known) {
            jvmti_methods_add(jvmti, env, frames[i].method);
        }
    }
}

void jvmti_methods_add_loaded(jvmtiEnv *jvmti, JNIEnv *env)
{
    jclass *types = NULL;
    jint count = 0;

    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &types) != JVMTI_ERROR_NONE) {
        return;
    }
    for (jint i = 0; i < count; i++) {
        jvmti_methods_add_class(jvmti, env, types[i]);
        (*env)->DeleteLocalRef(env, types[i]);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)types);
}

void jvmti_methods_forget_lines(void)
{
    (void)pthread_mutex_lock(&methods.lock);
    for (size_t i = 0; methods.slots != NULL && i <= methods.mask; i++) {
        free_method(methods.slots[i].method);
        methods.slots[i].method = NULL;
    }
    (void)pthread_mutex_unlock(&methods.lock);
}

void jvmti_methods_forget(JNIEnv *env)
{
    jvmti_methods_forget_lines();
    (void)pthread_mutex_lock(&methods.lock);
    for (size_t i = 0; i < MB_VEC_COUNT(&methods.classes); i++) {
        (*env)->DeleteWeakGlobalRef(env, methods.classes.items[i]); /* or NULL */
    }
    free(methods.slots);
    mb_buf_finish(&methods.classes.buf);
    methods.slots = NULL;
    methods.mask = 0;
    methods.count = 0;
    methods.first_free = 0;
    (void)pthread_mutex_unlock(&methods.lock);
}

/* ---- Names ---- */

static int by_start(const void *left, const void *right)
{
    const struct line *a = left;
    const struct line *b = right;

    return (a->start > b->start) - (a->start < b->start);
}

/* Native methods, and those that were compiled without them, have none. */
static void take_lines(jvmtiEnv *jvmti, jmethodID key, struct method *method)
{
    jvmtiLineNumberEntry *entries = NULL;
    jint count = 0;

    if ((*jvmti)->GetLineNumberTable(jvmti, key, &count, &entries) != JVMTI_ERROR_NONE) {
        return;
    }
    method->lines = calloc((size_t)count + 1, sizeof(*method->lines));
    for (jint i = 0; method->lines != NULL && i < count; i++) {
        method->lines[i] =
            (struct line){(uint32_t)entries[i].start_location, (uint32_t)entries[i].line_number};
    }
    method->line_count = method->lines != NULL ? (uint32_t)count : 0;
    if (method->lines != NULL) {
        qsort(method->lines, method->line_count, sizeof(*method->lines), by_start);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)entries);
}

static bool starts_with(struct mb_text text, const char *start)
{
    size_t size = strlen(start);

    return text.size >= size && memcmp(text.data, start, size) == 0;
}

static bool is_ours(struct mb_text class_name)
{
    return mb_text_is(class_name, ABI_BRIDGE_CLASS) || starts_with(class_name, "methodbeat/");
}

/* Its class is held. */
static void name_method(jvmtiEnv *jvmti, JNIEnv *env, jclass type, jmethodID key,
                        struct method *method)
{
    char *signature = NULL;
    char *name = NULL;
    char *descriptor = NULL;
    jint access = 0;

    if ((*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetMethodName(jvmti, key, &name, &descriptor, NULL) == JVMTI_ERROR_NONE) {
        (void)(*jvmti)->GetMethodModifiers(jvmti, key, &access);
        const struct abi_method named = {.access = (uint32_t)access,
                                         .class_name = jvmti_class_name(signature),
                                         .name = mb_text_of(name),
                                         .descriptor = mb_text_of(descriptor)};
        method->id = samp_ids_name(&named);
        method->is_ours = is_ours(named.class_name);
        method->takes_lock = jvmti_takes_lock(jvmti, env, type, key, access);
        take_lines(jvmti, key, method);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
}

/* Its class is held. */
static struct method *make_method(jvmtiEnv *jvmti, JNIEnv *env, jclass type, void *key)
{
    struct method *method = calloc(1, sizeof(*method));

    if (method != NULL) {
        name_method(jvmti, env, type, key, method);
    }
    if (method == NULL || method->id == 0) {
        free_method(method);
        return &unknown;
    }
    return method;
}

/* Under the lock; NULL without one. */
static struct slot *known_slot(void *key)
{
    struct slot *slot =
        methods.slots != NULL && key != NULL ? find_slot(methods.slots, methods.mask, key) : NULL;

    return slot != NULL && slot->key != NULL ? slot : NULL;
}

/* Its class, held, unless that is gone; NULL if it has its names. A weak reference turns into one
 * that holds. */
static jclass hold_unnamed(JNIEnv *env, void *key)
{
    (void)pthread_mutex_lock(&methods.lock);
    const struct slot *slot = known_slot(key);
    bool is_unnamed = slot != NULL && slot->method == NULL;
    jclass type = is_unnamed ? (*env)->NewLocalRef(env, class_of(slot)) : NULL;
    (void)pthread_mutex_unlock(&methods.lock);
    return type;
}

static void publish_method(void *key, struct method *method)
{
    (void)pthread_mutex_lock(&methods.lock);
    struct slot *slot = known_slot(key);
    if (slot != NULL && slot->method == NULL) {
        slot->method = method;
    } else {
        free_method(method); /* another thread of the sampler was first */
    }
    (void)pthread_mutex_unlock(&methods.lock);
}

static void name_if_new(jvmtiEnv *jvmti, JNIEnv *env, void *key)
{
    jclass type = hold_unnamed(env, key);

    if (type != NULL) {
        publish_method(key, make_method(jvmti, env, type, key));
        (*env)->DeleteLocalRef(env, type);
    }
}

jclass jvmti_methods_class(JNIEnv *env, void *method)
{
    (void)pthread_mutex_lock(&methods.lock);
    const struct slot *slot = known_slot(method);
    jclass type = slot != NULL ? (*env)->NewLocalRef(env, class_of(slot)) : NULL;
    (void)pthread_mutex_unlock(&methods.lock);
    return type;
}

static uint32_t unknown_id(void)
{
    const struct abi_method named = {
        .class_name = MB_TEXT("unknown"), .name = MB_TEXT("unknown"), .descriptor = MB_TEXT("()V")};

    return samp_ids_name(&named);
}

static uint32_t find_line(const struct method *method, uint16_t bci)
{
    uint32_t line = ABI_STACK_NO_LINE;

    for (uint32_t i = 0; i < method->line_count && method->lines[i].start <= bci; i++) {
        line = method->lines[i].number;
    }
    return bci == ABI_STACK_NO_BCI ? ABI_STACK_NO_LINE : line;
}

/* id 0: it is not known. */
static struct samp_place find_place(const struct samp_frame *frame)
{
    bool has_bci = frame->bci >= 0 && frame->bci < (int32_t)ABI_STACK_NO_BCI;
    struct samp_place place = {.bci = has_bci ? (uint16_t)frame->bci : ABI_STACK_NO_BCI};

    (void)pthread_mutex_lock(&methods.lock);
    const struct slot *slot = known_slot(frame->method);
    const struct method *method = slot != NULL && slot->method != NULL ? slot->method : &unknown;
    place.id = method->id;
    place.is_ours = method->is_ours;
    place.takes = method->takes_lock ? SAMP_TAKES_SOME : SAMP_TAKES_NONE;
    place.line = find_line(method, place.bci);
    (void)pthread_mutex_unlock(&methods.lock);
    return place;
}

void jvmti_methods_resolve(jvmtiEnv *jvmti, JNIEnv *env, const struct samp_frame *frames,
                           size_t count, struct samp_place *places)
{
    for (size_t i = 0; i < count; i++) {
        name_if_new(jvmti, env, frames[i].method);
        places[i] = find_place(&frames[i]);
        if (places[i].id == 0) {
            places[i].id = unknown_id();
        }
    }
}
