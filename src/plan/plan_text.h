/* plan_text.h - private to src/plan: what the texts of the three graphs share. */
#ifndef RASKI_PLAN_PLAN_TEXT_H
#define RASKI_PLAN_PLAN_TEXT_H
#include "plan/plan_format.h"

typedef enum raski_plan_color {
    RASKI_PLAN_PLAIN,
    RASKI_PLAN_STRONG,  /* names */
    RASKI_PLAN_FAINT,   /* ids */
    RASKI_PLAN_WARNING, /* what deserves a look */
} raski_plan_color;

typedef struct raski_plan_writer {
    const raski_plan *plan;
    bool colors;
    raski_str *out;
} raski_plan_writer;

/* Text of the program, which may hold anything: control characters are shown as \n, \x1b. */
void raski_plan_write(const raski_plan_writer *w, raski_plan_color color, const char *text);
/* A text of our own. */
void raski_plan_writef(const raski_plan_writer *w, raski_plan_color color, const char *format, ...)
    RASKI_PRINTF(3, 4);
/* "    label          " up to the column where values begin. */
void raski_plan_write_label(const raski_plan_writer *w, const char *label);
/* "2", or "not decided" (dynamic graphs). */
void raski_plan_write_parallelism(const raski_plan_writer *w, int parallelism);
/* "1 vertex", "3 vertices". */
void raski_plan_write_count(const raski_plan_writer *w, size_t count, const char *one,
                            const char *many);
/* "not chained: why", in a line of its own, indented; nothing when why is empty. */
void raski_plan_write_obstacles(const raski_plan_writer *w, const raski_plan_edge *edge);

/* Stateful operators whose ids depend on the topology. */
void raski_plan_write_warnings(const raski_plan_writer *w);

void raski_plan_text_stream_graph(const raski_plan_writer *w);
void raski_plan_text_job_graph(const raski_plan_writer *w);
void raski_plan_text_execution_graph(const raski_plan_writer *w);
#endif
