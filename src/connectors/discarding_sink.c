/* Takes records and forgets them. Flink: DiscardingSink. */
#include <stdlib.h>

#include "connectors/connectors.h"

static size_t discard(void *self, const void *in, size_t n, rask_ctx *ctx) {
    (void)self, (void)in, (void)n, (void)ctx;
    return 0;
}

static void destroy(raski_connector *connector) {
    free(connector->memory);
}

raski_connector raski_discarding_sink(const rask_type *type) {
    raski_fn *fn = calloc(1, sizeof *fn);
    if (fn == NULL) return (raski_connector){0};
    *fn = (raski_fn){.abi = RASKI_FN_ABI,
                     .size = sizeof *fn,
                     .kind = RASKI_FN_SINK,
                     .name = "discard",
                     .file = __FILE__,
                     .line = __LINE__,
                     .in = type,
                     .run = discard};
    return (raski_connector){.fn = fn, .memory = fn, .destroy = destroy};
}
