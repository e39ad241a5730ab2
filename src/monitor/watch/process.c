#include "monitor/watch/watcher.h"

#include "abi/identity.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/processors.h"
#include "base/text.h"
#include "monitor/watch/clock.h"
#include "recorder/core.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define FILE_SIZE 4096
#define STAT_PRIORITY 18 /* fields of /proc/PID/stat, from 1 (proc(5)) */
#define STAT_NICE 19

/* ---- Files of the system ---- */

/* 0 if it is absent. */
static uint64_t number_of(const char *text, const char *key)
{
    uint64_t number = 0;

    (void)mb_text_find_number(text, key, &number);
    return number;
}

/* A field of stat from the third on; a name in the second may hold anything. */
static int64_t stat_field(const char *text, int wanted)
{
    const char *place = strrchr(text, ')');

    for (int field = 2; place != NULL && field < wanted; field++) {
        place = strchr(place + 1, ' ');
    }
    return place != NULL ? strtoll(place, NULL, 10) : 0;
}

/* ---- The process ---- */

static void set_own_name(struct watch_process *process)
{
    char text[FILE_SIZE];

    (void)mb_file_read_text("/proc/self/cmdline", text, sizeof(text));
    (void)snprintf(process->name, sizeof(process->name), "%.127s", mb_last_part(text));
}

static uint64_t recorded_mapping(void)
{
    struct beat_recorder *recorder = beat_lock();
    uint64_t hash =
        recorder->recorded_session != BEAT_NO_SESSION ? recorder->header->mapping_hash : 0;

    beat_unlock(recorder);
    return hash;
}

/* Of 10000, since the last reading. */
static uint32_t share_since(struct watch_process *process)
{
    int64_t now = mb_clock_now_ns();
    int64_t cpu = watch_process_cpu_ns();
    int64_t most = (now - process->cpu_at_ns) * (int64_t)mb_processor_count();
    int64_t used = cpu - process->cpu_ns;

    process->cpu_ns = cpu;
    process->cpu_at_ns = now;
    if (most <= 0 || used <= 0) {
        return 0;
    }
    return used >= most ? 10000 : (uint32_t)((double)used / (double)most * 10000);
}

void watch_process_init(struct watch_process *process, const char *name)
{
    if (name != NULL) {
        (void)snprintf(process->name, sizeof(process->name), "%s", name);
    } else {
        set_own_name(process);
    }
    process->start = (uint64_t)mb_clock_read_ns(CLOCK_REALTIME);
    process->cpu_ns = watch_process_cpu_ns();
    process->cpu_at_ns = mb_clock_now_ns();
    process->thread_count = 0;
}

void watch_process_read(struct watch_process *process, struct watch_names *names,
                        struct mon_process *read)
{
    char text[FILE_SIZE];
    struct sysinfo info = {0};

    (void)sysinfo(&info);
    *read = (struct mon_process){
        .name = watch_names_add(names, mb_text_of(process->name)),
        .start = process->start,
        .mapping = recorded_mapping(),
        .machine = watch_names_add(
            names, mb_text_of(abi_identity_class((uint64_t)info.totalram * info.mem_unit))),
        .wall_ns = mb_clock_read_ns(CLOCK_REALTIME) - mb_clock_now_ns(),
        .mem_bytes = (uint64_t)info.totalram * info.mem_unit,
        .cpu_share = share_since(process),
    };
    (void)mb_file_read_text("/proc/meminfo", text, sizeof(text));
    read->mem_free_kb = number_of(text, "MemAvailable:");
    (void)mb_file_read_text("/proc/self/status", text, sizeof(text));
    read->vm_kb = number_of(text, "VmSize:");
    read->native_kb = number_of(text, "VmRSS:");
    read->is_debugged = number_of(text, "TracerPid:") != 0;
    (void)mb_file_read_text("/proc/self/stat", text, sizeof(text));
    read->priority = stat_field(text, STAT_PRIORITY);
    read->nice = stat_field(text, STAT_NICE);
}

void watch_process_read_cpu(struct mon_cpu *cpu)
{
    *cpu = (struct mon_cpu){.process_ns = watch_process_cpu_ns(),
                            .cores = (uint32_t)mb_processor_count()};
}

/* ---- Threads ---- */

void watch_process_begin_threads(struct watch_process *process)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;

    process->threads_at_ns = mb_clock_now_ns();
    process->thread_count = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL &&
           process->thread_count < WATCH_THREAD_MOST) {
        int32_t id = (int32_t)strtol(entry->d_name, NULL, 10);
        int64_t cpu = id > 0 ? watch_cpu_ns_of(id) : -1;
        if (cpu >= 0) {
            process->threads[process->thread_count++] = (struct watch_thread){id, cpu};
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

static uint32_t name_of_thread(struct watch_names *names, int32_t id)
{
    char path[64];
    char text[FILE_SIZE];

    (void)snprintf(path, sizeof(path), "/proc/self/task/%" PRId32 "/comm", id);
    (void)mb_file_read_text(path, text, sizeof(text));
    text[strcspn(text, "\n")] = '\0';
    return watch_names_add(names, mb_text_of(text));
}

/* Keep the threads that used most CPU time, in descending order. */
static void add_thread(struct mon_threads *threads, struct mon_thread thread)
{
    uint32_t place = threads->count;

    while (place > 0 && threads->threads[place - 1].cpu_ns < thread.cpu_ns) {
        if (place < MON_THREAD_COUNT) {
            threads->threads[place] = threads->threads[place - 1];
        }
        place--;
    }
    if (place < MON_THREAD_COUNT) {
        threads->threads[place] = thread;
        threads->count += threads->count < MON_THREAD_COUNT;
    }
}

void watch_process_read_threads(const struct watch_process *process, struct watch_names *names,
                                struct mon_cpu *cpu)
{
    watch_process_read_cpu(cpu);
    cpu->over_ns = mb_clock_now_ns() - process->threads_at_ns;
    for (uint32_t i = 0; i < process->thread_count; i++) {
        const struct watch_thread *thread = &process->threads[i];
        int64_t now = watch_cpu_ns_of(thread->id);
        if (now > thread->cpu_ns) {
            add_thread(&cpu->threads, (struct mon_thread){.id = (uint32_t)thread->id,
                                                          .cpu_ns = now - thread->cpu_ns});
        }
    }
    for (uint32_t i = 0; i < cpu->threads.count; i++) {
        struct mon_thread *thread = &cpu->threads.threads[i];
        thread->name = name_of_thread(names, (int32_t)thread->id);
    }
}

uint64_t watch_process_device(const char *app)
{
    struct mb_text device = abi_identity_find(mb_text_of(app), "device");
    char id[FILE_SIZE];

    if (device.size == 0) {
        (void)mb_file_read_text("/etc/machine-id", id, sizeof(id));
        device = mb_text_of(id);
    }
    return mb_text_hash(device);
}
