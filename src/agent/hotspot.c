#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* process_vm_readv */
#endif

#include "agent/hotspot.h"

#include "jni/exceptions.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define NO_FIELD UINT64_MAX

void *agent_hotspot_symbol(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    if (found == NULL) {
        void *library = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
        found = library != NULL ? dlsym(library, name) : NULL;
    }
    return found;
}

/* ---- Its table of fields (vmStructs.hpp) ---- */

/* Of a part of a row; NO_FIELD if the table is absent. */
static uint64_t read_layout(const char *name)
{
    const uint64_t *layout = agent_hotspot_symbol(name);

    return layout != NULL ? *layout : NO_FIELD;
}

static const char *read_text(const char *row, uint64_t offset)
{
    const char *text;

    memcpy(&text, row + offset, sizeof(text));
    return text;
}

/* Where the field lies in the objects that have it. The last row has no names. */
static uint64_t find_field(const char *name)
{
    const char *const *table = agent_hotspot_symbol("gHotSpotVMStructs");
    uint64_t field = read_layout("gHotSpotVMStructEntryFieldNameOffset");
    uint64_t place = read_layout("gHotSpotVMStructEntryOffsetOffset");
    uint64_t size = read_layout("gHotSpotVMStructEntryArrayStride");
    uint64_t found = NO_FIELD;

    if (table == NULL || field == NO_FIELD || place == NO_FIELD || size == NO_FIELD) {
        return NO_FIELD;
    }
    for (const char *row = *table; read_text(row, field) != NULL; row += size) {
        if (strcmp(read_text(row, field), name) == 0) {
            memcpy(&found, row + place, sizeof(found));
            break;
        }
    }
    return found;
}

/* ---- Threads ---- */

/* What may be gone is read by the kernel, which does not fault. */
static bool read_memory(uint64_t address, void *bytes, size_t size)
{
    const struct iovec here = {bytes, size};
    const struct iovec there = {(void *)(uintptr_t)address, size};

    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* HotSpot's own thread behind one of Java's; 0: it has ended. */
static uint64_t find_native(JNIEnv *env, jthread thread)
{
    jclass type = (*env)->FindClass(env, "java/lang/Thread");
    jfieldID field = type != NULL ? (*env)->GetFieldID(env, type, "eetop", "J") : NULL;
    jlong address = field != NULL ? (*env)->GetLongField(env, thread, field) : 0;

    (void)jni_forget_exception(env);
    (*env)->DeleteLocalRef(env, type);
    return (uint64_t)address;
}

/* One that still has its thread afterwards had it before, too. */
uint32_t agent_hotspot_thread_id(JNIEnv *env, jthread thread)
{
    uint64_t system_field = find_field("_osthread");
    uint64_t id_field = find_field("_thread_id");
    uint64_t native = find_native(env, thread);
    uint64_t system = 0;
    uint32_t id = 0;

    bool is_read = system_field != NO_FIELD && id_field != NO_FIELD && native != 0 &&
                   read_memory(native + system_field, &system, sizeof(system)) && system != 0 &&
                   read_memory(system + id_field, &id, sizeof(id));
    return is_read && find_native(env, thread) == native ? id : 0;
}
