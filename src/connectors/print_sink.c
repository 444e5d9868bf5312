/* A line per record on standard output or error, whole lines at a time: those of parallel subtasks
 * do not mix inside (on pipes: up to PIPE_BUF, 4096 bytes, a line). Flink: PrintSinkFunction,
 * PrintSinkOutputWriter. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "connectors/connectors.h"
#include "connectors/write.h"
#include "rask/function.h"

enum { WRITE_BYTES = 64 * 1024 };

typedef struct printer {
    const rask_type *type;
    int fd;
    char prefix[16]; /* "3> ", or nothing */
    size_t prefix_length;
    rask_text text; /* not yet written */
} printer;

static const raski_states printer_states = {"printer", sizeof(printer), NULL, 0};

static rask_status write_all(printer *self) {
    size_t length = self->text.length;
    self->text.length = 0;
    return raski_write(self->fd, self->text.data, length,
                       self->fd == 1 ? "standard output" : "standard error");
}

static size_t print(void *self_p, const void *in, size_t n, rask_ctx *ctx) {
    printer *self = self_p;
    for (size_t i = 0; i < n; i++) {
        ctx->i = i;
        rask_status status = rask_text_append(&self->text, self->prefix, self->prefix_length);
        if (status == RASK_OK)
            status = rask_text_append_record(&self->text, self->type,
                                             (const char *)in + i * self->type->size);
        if (status == RASK_OK) status = rask_text_append(&self->text, "\n", 1);
        if (status != RASK_OK) {
            (void)rask_fail("no memory to print a record");
            return 0;
        }
        if (self->text.length >= WRITE_BYTES && write_all(self) != RASK_OK) return 0;
    }
    (void)write_all(self);
    return 0;
}

static rask_status open_printer(void *self_p) {
    printer *self = self_p;
    const rask_runtime_context *rt = rask_runtime();
    if (rt->parallelism > 1)
        self->prefix_length =
            (size_t)snprintf(self->prefix, sizeof self->prefix, "%d> ", rt->subtask_index + 1);
    return RASK_OK;
}

static rask_status close_printer(void *self_p) {
    printer *self = self_p;
    free(self->text.data);
    self->text = (rask_text){0};
    return RASK_OK;
}

static const raski_hook open_hook = {.open = open_printer};
static const raski_hook close_hook = {.close = close_printer};

typedef struct memory {
    raski_fn fn;
    printer initial;
} memory;

static void destroy(raski_connector *connector) {
    free(connector->memory);
}

raski_connector raski_print_sink(const rask_type *type, bool to_stderr) {
    memory *m = calloc(1, sizeof *m);
    if (m == NULL) return (raski_connector){0};
    m->initial = (printer){.type = type, .fd = to_stderr ? 2 : 1};
    m->fn = (raski_fn){.abi = RASKI_FN_ABI,
                       .size = sizeof(raski_fn),
                       .kind = RASKI_FN_SINK,
                       .name = "print",
                       .file = __FILE__,
                       .line = __LINE__,
                       .in = type,
                       .run = print,
                       .self = &printer_states,
                       .open = &open_hook,
                       .close = &close_hook};
    return (raski_connector){.fn = &m->fn, .self = &m->initial, .memory = m, .destroy = destroy};
}
