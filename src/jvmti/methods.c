#include "jvmti/methods.h"

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
    uint32_t line_count;
    struct line *lines; /* in order */
};

struct slot {
    void *key; /* its jmethodID; NULL: free */
    uint32_t class_number;
    struct method *method; /* NULL: not named yet */
};

/* Under the lock. */
static struct {
    pthread_mutex_t lock;
    struct slot *slots;
    size_t mask;
    size_t count;
    MB_VEC(jweak) classes; /* by number */
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

static jweak class_at(uint32_t number)
{
    assert(number < MB_VEC_COUNT(&methods.classes));
    return methods.classes.items[number];
}

static bool grow_slots(void)
{
    size_t size = methods.slots == NULL ? FIRST_SLOTS : 2 * (methods.mask + 1);
    struct slot *more = calloc(size, sizeof(*more));

    if (more == NULL) {
        return false;
    }
    for (size_t i = 0; methods.slots != NULL && i <= methods.mask; i++) {
        if (methods.slots[i].key != NULL) {
            *find_slot(more, size - 1, methods.slots[i].key) = methods.slots[i];
        }
    }
    free(methods.slots);
    methods.slots = more;
    methods.mask = size - 1;
    return true;
}

/* One that is there keeps its class. Without memory it is left out, and has no name. */
static void put_method(jmethodID method, uint32_t class_number)
{
    if ((methods.slots == NULL || 4 * methods.count >= 3 * methods.mask) && !grow_slots()) {
        return;
    }
    struct slot *slot = find_slot(methods.slots, methods.mask, method);
    if (slot->key == NULL) {
        *slot = (struct slot){.key = method, .class_number = class_number};
        methods.count++;
    }
}

static void put_class(jweak type, const jmethodID *list, jint count)
{
    (void)pthread_mutex_lock(&methods.lock);
    uint32_t number = (uint32_t)MB_VEC_COUNT(&methods.classes);
    MB_VEC_PUSH(&methods.classes, type);
    for (jint i = 0; !methods.classes.buf.failed && i < count; i++) {
        put_method(list[i], number);
    }
    (void)pthread_mutex_unlock(&methods.lock);
}

void jvmti_methods_add_class(jvmtiEnv *jvmti, JNIEnv *env, jclass type)
{
    jmethodID *list = NULL;
    jint count = 0;

    if ((*jvmti)->GetClassMethods(jvmti, type, &count, &list) != JVMTI_ERROR_NONE) {
        return; /* not prepared yet, or an array */
    }
    jweak held = count > 0 ? (*env)->NewWeakGlobalRef(env, type) : NULL;
    if (held != NULL) {
        put_class(held, list, count);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)list);
}

void jvmti_methods_add(jvmtiEnv *jvmti, JNIEnv *env, jmethodID method)
{
    jclass type = NULL;

    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &type) != JVMTI_ERROR_NONE) {
        return;
    }
    jweak held = (*env)->NewWeakGlobalRef(env, type);
    if (held != NULL) {
        put_class(held, &method, 1);
    }
    (*env)->DeleteLocalRef(env, type);
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

static void free_method(struct method *method)
{
    if (method != NULL && method != &unknown) {
        free(method->lines);
        free(method);
    }
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
        (*env)->DeleteWeakGlobalRef(env, class_at((uint32_t)i));
    }
    free(methods.slots);
    mb_buf_finish(&methods.classes.buf);
    methods.slots = NULL;
    methods.mask = 0;
    methods.count = 0;
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

struct mb_text jvmti_class_name(const char *signature)
{
    size_t size = strlen(signature);
    struct mb_text name =
        size > 2 ? (struct mb_text){signature + 1, size - 2} : (struct mb_text){signature, size};
    const char *address = memmem(name.data, name.size, "0x0", 3);

    if (address > name.data + 1 && (address[-1] == '/' || address[-1] == '.')) {
        name.size = (size_t)(address - 1 - name.data);
    }
    return name;
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
static void name_method(jvmtiEnv *jvmti, jclass type, jmethodID key, struct method *method)
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
        take_lines(jvmti, key, method);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
}

/* A weak reference turns into one that holds; the class of a method that has none is gone. */
static struct method *make_method(jvmtiEnv *jvmti, JNIEnv *env, void *key, jweak held)
{
    jclass type = (*env)->NewLocalRef(env, held);
    struct method *method = type != NULL ? calloc(1, sizeof(*method)) : NULL;

    if (method != NULL) {
        name_method(jvmti, type, key, method);
    }
    (*env)->DeleteLocalRef(env, type);
    if (method == NULL || method->id == 0) {
        free_method(method);
        return &unknown;
    }
    return method;
}

static struct method *publish_method(void *key, struct method *method)
{
    (void)pthread_mutex_lock(&methods.lock);
    assert(methods.slots != NULL); /* only who samples names methods, and only then */
    struct slot *slot = find_slot(methods.slots, methods.mask, key);
    assert(slot->key == key);
    if (slot->method == NULL) {
        slot->method = method;
    } else {
        free_method(method); /* another thread of the sampler was first */
    }
    struct method *found = slot->method;
    (void)pthread_mutex_unlock(&methods.lock);
    return found;
}

static struct method *find_method(jvmtiEnv *jvmti, JNIEnv *env, void *key)
{
    (void)pthread_mutex_lock(&methods.lock);
    struct slot *slot =
        methods.slots != NULL && key != NULL ? find_slot(methods.slots, methods.mask, key) : NULL;
    bool is_known = slot != NULL && slot->key != NULL;
    struct method *method = is_known ? slot->method : &unknown;
    jweak held = is_known ? class_at(slot->class_number) : NULL;
    (void)pthread_mutex_unlock(&methods.lock);
    return method != NULL ? method : publish_method(key, make_method(jvmti, env, key, held));
}

jclass jvmti_methods_class(JNIEnv *env, void *method)
{
    (void)pthread_mutex_lock(&methods.lock);
    const struct slot *slot = methods.slots != NULL && method != NULL
                                  ? find_slot(methods.slots, methods.mask, method)
                                  : NULL;
    jweak held = slot != NULL && slot->key != NULL ? class_at(slot->class_number) : NULL;
    (void)pthread_mutex_unlock(&methods.lock);
    return held != NULL ? (*env)->NewLocalRef(env, held) : NULL;
}

static uint32_t unknown_id(void)
{
    const struct abi_method named = {
        .class_name = MB_TEXT("unknown"), .name = MB_TEXT("unknown"), .descriptor = MB_TEXT("()V")};

    return samp_ids_name(&named);
}

void jvmti_methods_resolve(jvmtiEnv *jvmti, JNIEnv *env, const struct samp_frame *frames,
                           size_t count, struct samp_place *places)
{
    for (size_t i = 0; i < count; i++) {
        const struct samp_frame *frame = &frames[i];
        const struct method *method = find_method(jvmti, env, frame->method);
        bool has_bci = frame->bci >= 0 && frame->bci < (int32_t)ABI_STACK_NO_BCI;
        places[i] = (struct samp_place){
            .id = method == &unknown ? unknown_id() : method->id,
            .bci = has_bci ? (uint16_t)frame->bci : ABI_STACK_NO_BCI,
            .is_ours = method->is_ours,
            .method = method,
        };
    }
}

uint32_t jvmti_methods_line(const struct samp_place *place)
{
    const struct method *method = place->method;
    uint32_t line = ABI_STACK_NO_LINE;

    for (uint32_t i = 0; i < method->line_count && method->lines[i].start <= place->bci; i++) {
        line = method->lines[i].number;
    }
    return place->bci == ABI_STACK_NO_BCI ? ABI_STACK_NO_LINE : line;
}
