/* topology_file.h - a topology as a person has it: a file or standard input, which may be wrong in
 * every way. Errors say FILE:LINE:COLUMN, what is wrong and what was expected.
 * Threads: one owner. */
#ifndef RASKI_PLAN_TOPOLOGY_FILE_H
#define RASKI_PLAN_TOPOLOGY_FILE_H
#include <jansson.h>

#include "graph/topology.h"
#include "plan/plan_format.h"

/* Larger ones are refused: a million steps have about 30 MB. */
enum {
    RASKI_TOPOLOGY_FILE_MAX_BYTES = 256 * 1024 * 1024,
    RASKI_TOPOLOGY_VALUES_MAX = 16 * 1000 * 1000, /* objects, lists and what is in them */
};

typedef struct raski_topology_file {
    char *name; /* for messages: the path, or "<stdin>" */
    raski_str text;
    json_t *document;
    raski_topology *topology; /* NULL until built */
    raski_plan plan;          /* of the topology, if has_plan */
    bool has_plan;
    raski_error reason; /* after a failure of planning: Flink's own error, without the place */
    bool is_refused; /* after a failure: Flink would refuse the program; else the file is wrong */
} raski_topology_file;

/* Reads and parses ("-": standard input), and checks that fields have the types of
 * golden/plan/topology.md. err gets the complete text. The file is the caller's to close, also
 * after a failure. @blocks */
RASKI_NODISCARD rask_status raski_topology_file_open(const char *path, raski_topology_file *file,
                                                     raski_error *err);
/* Builds the program, plans it and appends a graph to out, as raski_plan_show. err gets the
 * complete text: with Flink's exception and the step that caused it when Flink would refuse the
 * program (file->is_refused). */
RASKI_NODISCARD rask_status raski_topology_file_show(raski_topology_file *file,
                                                     raski_plan_graph graph,
                                                     const raski_plan_format *format,
                                                     const raski_plan_style *style, raski_str *out,
                                                     raski_error *err);
/* The same without showing anything. */
RASKI_NODISCARD rask_status raski_topology_file_plan(raski_topology_file *file,
                                                     raski_plan_graph graph, raski_error *err);
void raski_topology_file_close(raski_topology_file *file);

/* Parses text strictly: UTF-8, no duplicate keys, one value. NULL: err says where and why, as
 * "NAME:LINE:COLUMN: ...". A new reference. */
json_t *raski_topology_parse(const char *name, const char *text, size_t length, raski_error *err);
/* All bytes of a file or ("-") standard input. */
RASKI_NODISCARD rask_status raski_topology_read(const char *path, size_t limit, raski_str *ret_text,
                                                raski_error *err);
#endif
