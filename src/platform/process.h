/* process.h - this process: its memory and CPU time, its signals, its terminal. */
#ifndef RASKI_PLATFORM_PROCESS_H
#define RASKI_PLATFORM_PROCESS_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct raski_process_usage {
    int64_t cpu_user_ns, cpu_system_ns; /* all threads */
    int64_t rss_bytes, rss_peak_bytes;  /* resident memory; 0 when the system does not tell */
    int64_t switches_voluntary, switches_involuntary;
    int64_t faults_minor, faults_major;
} raski_process_usage;

void raski_process_usage_get(raski_process_usage *ret_usage);
int64_t raski_process_id(void);
/* Bytes of memory of the machine, or of the container when that is less. */
int64_t raski_memory_total_bytes(void);
/* Absolute path of the running program; NULL when unknown. Returned to the caller (raski_free). */
char *raski_process_program_path(void);

/* A person's wish to stop (SIGINT, SIGTERM). The first signal sets the flag, makes the descriptor
 * readable and calls on_interrupt on a thread of its own (may be NULL; may block); a second one
 * ends the process at once with exit code 128 + signal. Call once, on the main thread, before other
 * threads start. SIGPIPE is ignored by it (writes then fail with "Broken pipe"). */
RASKI_NODISCARD rask_status raski_interrupt_init(void (*on_interrupt)(void *context), void *context,
                                                 raski_error *err);
bool raski_interrupt_requested(void);
int raski_interrupt_signal(void); /* the signal's number, 0: none yet */
int raski_interrupt_fd(void);     /* readable once requested; -1 before init */
/* Gives the signals their default meaning back and ends the helper thread. */
void raski_interrupt_fini(void);

/* True when the descriptor (1: standard output, 2: error) is a terminal. */
bool raski_is_terminal(int fd);
/* Columns of the terminal, 0 when fd is none. */
uint32_t raski_terminal_width(int fd);
#endif
