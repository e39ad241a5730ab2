#include "base/mapping.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Entries are used again but never freed: the handler may walk the list at any time. */
struct mapping {
    struct mapping *next;
    _Atomic(uintptr_t) start; /* 0: unused. Released after size and path, acquired before them */
    size_t size;
    const char *path;
};

static _Atomic(struct mapping *) mappings;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* held while changing the list */
static void (*report_cut)(const char *path);

static struct mapping *find_mapping(uintptr_t address)
{
    struct mapping *mapping = atomic_load_explicit(&mappings, memory_order_acquire);

    for (; mapping != NULL; mapping = mapping->next) {
        uintptr_t start = atomic_load_explicit(&mapping->start, memory_order_acquire);
        if (start != 0 && address >= start && address - start < mapping->size) {
            return mapping;
        }
    }
    return NULL;
}

static void handle_fault(int signal_number, siginfo_t *info, void *context)
{
    const struct mapping *mapping = find_mapping((uintptr_t)info->si_addr);

    (void)context;
    if (mapping != NULL) {
        report_cut(mapping->path);
    }
    (void)signal(signal_number, SIG_DFL); /* the fault repeats, and ends the process */
}

void mb_mapping_catch(void (*on_cut)(const char *path))
{
    struct sigaction action = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO};

    report_cut = on_cut;
    (void)sigaction(SIGBUS, &action, NULL);
}

/* Called with the mutex held. NULL when out of memory. */
static struct mapping *find_unused(void)
{
    struct mapping *first = atomic_load_explicit(&mappings, memory_order_relaxed);

    for (struct mapping *mapping = first; mapping != NULL; mapping = mapping->next) {
        if (atomic_load_explicit(&mapping->start, memory_order_relaxed) == 0) {
            return mapping;
        }
    }
    struct mapping *added = calloc(1, sizeof(*added));
    if (added != NULL) {
        added->next = first;
        atomic_store_explicit(&mappings, added, memory_order_release);
    }
    return added;
}

static bool add_mapping(void *bytes, size_t size, const char *path)
{
    (void)pthread_mutex_lock(&mutex);
    struct mapping *mapping = find_unused();
    if (mapping != NULL) {
        mapping->size = size;
        mapping->path = path;
        atomic_store_explicit(&mapping->start, (uintptr_t)bytes, memory_order_release);
    }
    (void)pthread_mutex_unlock(&mutex);
    return mapping != NULL;
}

enum mb_status mb_map(struct mb_text *bytes, int fd, size_t size, const char *path,
                      struct mb_error *err)
{
    void *start = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

    if (start == MAP_FAILED) {
        return mb_fail_errno(err, "cannot map");
    }
    if (!add_mapping(start, size, path)) {
        (void)munmap(start, size);
        return mb_fail_memory(err);
    }
    *bytes = (struct mb_text){start, size};
    return MB_OK;
}

void mb_unmap(struct mb_text bytes)
{
    (void)pthread_mutex_lock(&mutex);
    struct mapping *mapping = find_mapping((uintptr_t)bytes.data);
    if (mapping != NULL) {
        atomic_store_explicit(&mapping->start, 0, memory_order_release);
    }
    (void)pthread_mutex_unlock(&mutex);
    (void)munmap((void *)(uintptr_t)bytes.data, bytes.size);
}

/* For a part of a mapping, the pages at both ends go too: they belong to the file, and are read
 * again. */
void mb_map_drop(struct mb_text bytes)
{
    uintptr_t start = (uintptr_t)bytes.data;
    uintptr_t inside = start & ((uintptr_t)sysconf(_SC_PAGESIZE) - 1);

    (void)madvise((void *)(start - inside), bytes.size + inside, MADV_DONTNEED);
}
