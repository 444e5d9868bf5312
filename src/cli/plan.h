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
    const char *asked_format; /* what programs are asked for instead; NULL: the format */
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
/* The same without printing it: *ret_text, the caller's to free, is what the program gave; empty
 * after RASKI_PLAN_EXIT_UNREADABLE, which was told. The code is the one to exit with. */
int raski_plan_capture_program(int argc, char **argv, const raski_plan_options *options,
                               raski_str *ret_text);
/* Will a savepoint of OLD fit NEW? argv: options for programs, then OLD and NEW at operand. Returns
 * the exit code: 1 when some state does not map. */
int raski_plan_diff_command(int argc, char **argv, int operand, bool as_json);
/* What would fail or surprise; argv as for raski_plan_program, operand: the topology or program in
 * it. Returns the exit code: 1 when the program would be refused. */
int raski_plan_check_command(int argc, char **argv, int operand, bool as_json);
/* Whether path is a topology rather than a program: "-", or its first character is a brace, or it
 * has the name of one and cannot be executed. @blocks on the file system */
bool raski_plan_is_topology(const char *path);
/* "rask: MESSAGE" on standard error, control characters made visible. Returns code. */
int raski_plan_complain(int code, const char *message);
#endif
