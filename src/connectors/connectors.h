/* connectors.h - the built-in sources and sinks, as src/api finds them. They are written against
 * the public headers only, as a stranger's would be; each gives a function object of its own (since
 * some have a record type that is known only at run time) and the initial instance for it.
 * Threads: made on the program's thread; instances belong to their tasks. */
#ifndef RASKI_CONNECTORS_CONNECTORS_H
#define RASKI_CONNECTORS_CONNECTORS_H
#include "rask/runtime.h"

typedef struct raski_connector raski_connector;
struct raski_connector {
    const raski_fn *fn; /* a source or a sink; NULL: there was no memory */
    const void *self;   /* the initial instance, fn->self->size bytes; copied for each subtask */
    void *memory;       /* what fn and self point to; the connector's */
    void (*destroy)(raski_connector *connector); /* once no job uses it any more; NULL: nothing */
};
static inline void raski_connector_destroy(raski_connector *connector) {
    if (connector->destroy) connector->destroy(connector);
    *connector = (raski_connector){0};
}

/* The lines of a file, of the files below a folder or of those that match a glob (split source). */
raski_connector raski_text_source(const char *path);
/* n records, in order; copies them with their strings (split source with one split). */
raski_connector raski_values_source(const rask_type *type, const void *records, size_t n);
/* from..to, both included, shared among the readers (split source). */
raski_connector raski_sequence_source(int64_t from, int64_t to);
/* The lines that a TCP server sends (plain source). */
raski_connector raski_socket_source(const char *host, int port);
/* A line per record on standard output or error; "N> " before it when parallel. */
raski_connector raski_print_sink(const rask_type *type, bool to_stderr);
/* A line per record into a file that appears whole at the end, or not at all. */
raski_connector raski_text_sink(const rask_type *type, const char *path, bool append);
raski_connector raski_discarding_sink(const rask_type *type);
#endif
