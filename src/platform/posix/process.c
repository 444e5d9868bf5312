#include "platform/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"

static int64_t timeval_ns(struct timeval t) {
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

/* The kB values of two lines of /proc/self/status. */
static void read_memory(raski_process_usage *usage) {
    FILE *file = fopen("/proc/self/status", "re");
    if (file == NULL) return;
    char line[256];
    long long kib;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmHWM: %lld kB", &kib) == 1) usage->rss_peak_bytes = kib * 1024;
        if (sscanf(line, "VmRSS: %lld kB", &kib) == 1) usage->rss_bytes = kib * 1024;
    }
    (void)fclose(file);
}

void raski_process_usage_get(raski_process_usage *ret_usage) {
    raski_process_usage usage = {0};
    struct rusage r;
    if (getrusage(RUSAGE_SELF, &r) == 0) {
        usage.cpu_user_ns = timeval_ns(r.ru_utime);
        usage.cpu_system_ns = timeval_ns(r.ru_stime);
        usage.rss_peak_bytes = (int64_t)r.ru_maxrss * 1024;
        usage.switches_voluntary = r.ru_nvcsw;
        usage.switches_involuntary = r.ru_nivcsw;
        usage.faults_minor = r.ru_minflt;
        usage.faults_major = r.ru_majflt;
    }
    read_memory(&usage);
    *ret_usage = usage;
}

int64_t raski_process_id(void) {
    return getpid();
}

/* The number in a one-line file; -1 when there is none ("max"). */
static int64_t read_number(const char *path) {
    FILE *file = fopen(path, "re");
    if (file == NULL) return -1;
    long long number = -1;
    if (fscanf(file, "%lld", &number) != 1) number = -1;
    (void)fclose(file);
    return number;
}

int64_t raski_memory_total_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    int64_t total = (int64_t)(pages < 0 ? 0 : pages) * (page_size < 0 ? 0 : page_size);
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        int64_t limit = read_number(limits[i]);
        if (limit > 0 && limit < total) total = limit;
    }
    return total;
}

char *raski_process_program_path(void) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || (size_t)length == sizeof path) return NULL;
    return raski_strndup(path, (size_t)length);
}

bool raski_is_terminal(int fd) {
    return isatty(fd) == 1;
}

uint32_t raski_terminal_width(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
