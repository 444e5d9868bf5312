/* plan.h - rask plan: the parts of the verb. Threads: the main thread. */
#ifndef RASKI_CLI_PLAN_H
#define RASKI_CLI_PLAN_H
#include <stdbool.h>

#include "plan/plan_format.h"

/* Exit codes of rask plan. */
enum {
    RASKI_PLAN_EXIT_OK = 0,
    RASKI_PLAN_EXIT_REFUSED = 1,    /* Flink would refuse the program */
    RASKI_PLAN_EXIT_UNREADABLE = 2, /* a file or the command line */
};

typedef struct raski_plan_options {
    raski_plan_graph graph;
    const char *graph_name; /* as given */
    const raski_plan_format *format;
    raski_plan_style style;
} raski_plan_options;

/* Prints the plan of a topology file ("-": standard input). Returns the exit code. */
int raski_plan_topology(const char *path, const raski_plan_options *options);
/* One topology per line of standard input (or of a file), one line of facts each. Returns the exit
 * code: lines that are refused are lines like the others. Memory is that of the longest line. */
int raski_plan_lines(const char *path);
/* Starts a program, which gives its plan where it would execute its job. argc and argv as for
 * rask run: options for the program, its path, its arguments behind argv[0]. */
int raski_plan_program(int argc, char **argv, const raski_plan_options *options);
/* Whether path is a topology rather than a program: "-", or its first character is a brace, or it
 * has the name of one and cannot be executed. @blocks on the file system */
bool raski_plan_is_topology(const char *path);
/* "rask: MESSAGE" on standard error, control characters made visible. Returns code. */
int raski_plan_complain(int code, const char *message);
#endif
