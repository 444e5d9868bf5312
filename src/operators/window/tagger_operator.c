/* The two maps in front of a window join: they make records of one type of both inputs. */
#include <string.h>

#include "operators/window/window_definition.h"

static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)input, (void)exclusive;
    const raski_tagger_definition *tagger = op->def->detail;
    const raski_tagged_type *tagged = tagger->tagged;
    const rask_type *in = tagged->inputs[tagger->input];
    const char *from = records;
    while (n > 0 && raski_operator_room(op)) {
        const size_t part = n < op->ctx.cap ? n : op->ctx.cap;
        char *to = op->ctx.buf;
        memset(to, 0, part * tagged->type->size);
        for (size_t i = 0; i < part; i++, from += in->size, to += tagged->type->size) {
            memcpy(to + tagged->key_offset, from + tagger->key_offset, tagged->key->size);
            memcpy(to + tagged->offsets[tagger->input], from, in->size);
            to[tagged->second_flag_offset] = (char)tagger->input;
        }
        if (op->ctx.ts_out != NULL) {
            memcpy(op->ctx.ts_out, timestamps, part * sizeof *timestamps);
            op->ctx.stamped = part;
            timestamps += part;
        }
        op->pending += part;
        n -= part;
    }
    raski_operator_hand_on(op);
}

const raski_operator_ops raski_tagger_ops = {.name = "tagger", .process = process};
