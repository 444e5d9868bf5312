/* connectors.h - the built-in sources and sinks, as src/api finds them. They are written against
 * the public headers only, as a stranger's would be; each gives a function object of its own (since
 * some have a record type that is known only at run time) and the initial instance for it.
 * Threads: made on the program's thread; instances belong to their tasks. */
#ifndef RASKI_CONNECTORS_CONNECTORS_H
#define RASKI_CONNECTORS_CONNECTORS_H
#include "connectors/record_format.h"
#include "rask/connectors.h"
#include "rask/runtime.h"

typedef struct raski_connector raski_connector;
struct raski_connector {
    const raski_fn *fn;    /* a source or a sink; NULL: there was no memory */
    const void *self;      /* the initial instance, fn->self->size bytes; copied for each subtask */
    void *memory;          /* what fn and self point to; the connector's */
    const char *writes_to; /* a path that no other sink of the job may have; NULL: none */
    /* Once for each job, after its tasks have ended: keeps what they made if the job succeeded,
     * else removes it. false: the job failed after all, message (size bytes) says why. NULL:
     * nothing */
    bool (*end_job)(raski_connector *connector, bool succeeded, char *message, size_t size);
    void (*destroy)(raski_connector *connector); /* once no job uses it any more; NULL: nothing */
};
static inline void raski_connector_destroy(raski_connector *connector) {
    if (connector->destroy) connector->destroy(connector);
    *connector = (raski_connector){0};
}

/* The lines of a file, of the files below a folder or of those that match a glob (split source).
 * monitor_ms: looks for new files again and again after that time; 0: once. */
raski_connector raski_text_source(const char *path, int64_t monitor_ms);
/* The same with splits of split_bytes (0: chosen by the file's size) and a first buffer of
 * buffer_bytes (at least 1): for tests. */
raski_connector raski_text_source_sized(const char *path, int64_t monitor_ms, size_t split_bytes,
                                        size_t buffer_bytes);
/* The records of files in a format, as those (split source). format is copied. */
raski_connector raski_record_source(const rask_type *type, const char *path, int64_t monitor_ms,
                                    const raski_record_format *format);
/* The same with sizes as above (buffer_bytes 0: chosen). */
raski_connector raski_record_source_sized(const rask_type *type, const char *path,
                                          int64_t monitor_ms, const raski_record_format *format,
                                          size_t split_bytes, size_t buffer_bytes);
/* n records, in order; copies them with their strings (split source with one split). */
raski_connector raski_values_source(const rask_type *type, const void *records, size_t n);
/* from..to, both included, shared among the readers (split source). */
raski_connector raski_sequence_source(int64_t from, int64_t to);
/* What generate makes of the indexes 0 .. options->rows - 1 (split source). fn says what it is:
 * kind SPLIT_SOURCE, record type, name and place; it is copied. */
raski_connector raski_datagen_source(const raski_fn *fn, raski_generate *generate,
                                     const rask_datagen_options *options);
/* What a TCP server sends, cut at a delimiter (plain source). Copies host and options. */
raski_connector raski_socket_source(const char *host, int port, const rask_socket_options *options);
/* A line per record on standard output or error; "N> " before it when parallel. */
raski_connector raski_print_sink(const rask_type *type, bool to_stderr);
/* A line per record into a file (a folder of files part-N when parallel) that appears when the job
 * has succeeded, or not at all. append: at the end of what is there, at once. */
raski_connector raski_text_sink(const rask_type *type, const char *path, bool append);
/* The same with lines in a format, which is copied. */
raski_connector raski_record_sink(const rask_type *type, const char *path, bool append,
                                  const raski_record_format *format);
/* Part files in buckets (rask/connectors.h). bucket: a RASK_KEY function that gives strings, or
 * NULL: by time. format NULL: text. Copies all but bucket. */
raski_connector raski_file_sink_connector(const rask_type *type, const char *folder,
                                          const raski_fn *bucket,
                                          const rask_file_sink_options *options,
                                          const raski_record_format *format);
/* What print shows of each record, and a delimiter, to a TCP server. Copies host and options. */
raski_connector raski_socket_sink(const rask_type *type, const char *host, int port,
                                  const rask_socket_options *options);
/* Whether such a bucket_format is known; if not, message (size bytes) says what not. */
bool raski_file_sink_check_buckets(const char *bucket_format, char *message, size_t size);
raski_connector raski_discarding_sink(const rask_type *type);
#endif
