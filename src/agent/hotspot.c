#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* process_vm_readv */
#endif

#include "agent/hotspot.h"

#include "jni/exceptions.h"

#include <dlfcn.h>
#include <stdbool.h>
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

/* ---- Its tables (vmStructs.hpp) ---- */

/* Symbols: of the first row, of the distance between two, and of where texts lie in a row. */
struct table {
    const char *rows;
    const char *stride;
    const char *type;
    const char *name; /* of a field; NULL: rows are types */
};

static const struct table fields = {"gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride",
                                    "gHotSpotVMStructEntryTypeNameOffset",
                                    "gHotSpotVMStructEntryFieldNameOffset"};
static const struct table types = {"gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride",
                                   "gHotSpotVMTypeEntryTypeNameOffset", NULL};

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

/* NULL if absent. type may be NULL: any. The last row has no names. */
static const char *find_row(const struct table *table, const char *type, const char *name)
{
    const char *const *rows = agent_hotspot_symbol(table->rows);
    uint64_t size = read_layout(table->stride);
    uint64_t type_at = read_layout(table->type);
    uint64_t name_at = table->name != NULL ? read_layout(table->name) : type_at;

    if (rows == NULL || size == NO_FIELD || type_at == NO_FIELD || name_at == NO_FIELD) {
        return NULL;
    }
    for (const char *row = *rows; read_text(row, name_at) != NULL; row += size) {
        if (strcmp(read_text(row, name_at), name) == 0 &&
            (type == NULL || strcmp(read_text(row, type_at), type) == 0)) {
            return row;
        }
    }
    return NULL;
}

/* A part of that row; NO_FIELD if one of them is absent. */
static uint64_t read_row(const char *row, const char *part)
{
    uint64_t place = read_layout(part);
    uint64_t value = NO_FIELD;

    if (row != NULL && place != NO_FIELD) {
        memcpy(&value, row + place, sizeof(value));
    }
    return value;
}

/* Where the field lies in the objects that have it. */
static uint64_t find_field(const char *type, const char *name)
{
    return read_row(find_row(&fields, type, name), "gHotSpotVMStructEntryOffsetOffset");
}

/* The value of a static field; 0 if absent. */
static uint64_t read_static(const char *type, const char *name)
{
    uint64_t address =
        read_row(find_row(&fields, type, name), "gHotSpotVMStructEntryAddressOffset");

    return address != NO_FIELD && address != 0 ? *(const uint64_t *)(uintptr_t)address : 0;
}

void agent_hotspot_find_code(uint64_t *begin, uint64_t *end)
{
    *begin = read_static("CodeCache", "_low_bound");
    *end = read_static("CodeCache", "_high_bound");
}

void agent_hotspot_keep_places(void)
{
    static const char wanted[] = "DebugNonSafepoints";
    const char *flags = (const char *)(uintptr_t)read_static("JVMFlag", "flags"); /* NOLINT */
    uint64_t count = read_static("JVMFlag", "numFlags");
    uint64_t name = find_field("JVMFlag", "_name");
    uint64_t place = find_field("JVMFlag", "_addr");
    uint64_t size = read_row(find_row(&types, NULL, "JVMFlag"), "gHotSpotVMTypeEntrySizeOffset");

    if (flags == NULL || name == NO_FIELD || place == NO_FIELD || size == NO_FIELD) {
        return;
    }
    for (const char *flag = flags; flag < flags + count * size; flag += size) {
        if (read_text(flag, name) != NULL && strcmp(read_text(flag, name), wanted) == 0) {
            bool *value;
            memcpy(&value, flag + place, sizeof(value));
            *value = true;
        }
    }
}

/* ---- Threads ---- */

/* What may be gone is read by the kernel, which does not fault. */
static bool read_memory(uint64_t address, void *bytes, size_t size)
{
    const struct iovec here = {bytes, size};
    const struct iovec there = {(void *)(uintptr_t)address, size};

    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* The address of HotSpot's thread for one of Java's; 0 if it has ended. */
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
    uint64_t system_field = find_field(NULL, "_osthread");
    uint64_t id_field = find_field(NULL, "_thread_id");
    uint64_t native = find_native(env, thread);
    uint64_t system = 0;
    uint32_t id = 0;

    bool is_read = system_field != NO_FIELD && id_field != NO_FIELD && native != 0 &&
                   read_memory(native + system_field, &system, sizeof(system)) && system != 0 &&
                   read_memory(system + id_field, &id, sizeof(id));
    return is_read && find_native(env, thread) == native ? id : 0;
}
