#include "base/processors.h"

#include "base/windows/windows.h"

#include <stdio.h>

/* Of more than 64 processors a process has one group unless it asks for others, as threads here do
 * not. */
unsigned mb_processor_count(void)
{
    DWORD_PTR usable = 0;
    DWORD_PTR all = 0;
    unsigned count = 0;

    if (GetProcessAffinityMask(GetCurrentProcess(), &usable, &all)) {
        for (; usable != 0; usable &= usable - 1) {
            count++;
        }
    }
    return count > 0 ? count : 1;
}

bool mb_machine_look(struct mb_machine *machine)
{
    OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof(version)};
    SYSTEM_INFO info;
    MEMORYSTATUSEX memory = {.dwLength = sizeof(memory)};

    if (!GetVersionExW(&version)) {
        return false;
    }
    GetNativeSystemInfo(&info);
    (void)snprintf(machine->system, sizeof(machine->system), "Windows");
    (void)snprintf(machine->release, sizeof(machine->release), "%lu.%lu.%lu",
                   version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber);
    (void)snprintf(machine->processor, sizeof(machine->processor), "%s",
                   info.wProcessorArchitecture == PROCESSOR_ARCHITECTURE_ARM64 ? "aarch64"
                                                                               : "x86_64");
    machine->memory = GlobalMemoryStatusEx(&memory) ? memory.ullTotalPhys : 0;
    return true;
}
