/* plan_output.h - finds the plan in what a program printed. Threads: any. */
#ifndef RASKI_CLI_PLAN_OUTPUT_H
#define RASKI_CLI_PLAN_OUTPUT_H
#include <stdbool.h>
#include <stddef.h>

/* The first JSON object at the start of a line that is a plan (has an array "nodes"): where it
 * starts and ends in text. The program may have printed other things around it. false: there is
 * none. */
bool raski_find_plan(const char *text, size_t length, size_t *ret_start, size_t *ret_end);
#endif
