#include "operators/time/watermark_output_multiplexer.h"

#include <string.h>

void raski_watermark_multiplexer_init(raski_watermark_multiplexer *mux) {
    *mux = (raski_watermark_multiplexer){.watermark_ms = RASKI_WATERMARK_NONE};
}

void raski_watermark_multiplexer_fini(raski_watermark_multiplexer *mux) {
    for (size_t i = 0; i < mux->splits.count; i++) {
        raski_free(mux->ids.items[i]);
        raski_free(mux->splits.items[i]);
    }
    raski_vec_free(&mux->ids);
    raski_vec_free(&mux->splits);
}

/* splits.count: there is none. Readers have few splits at a time. */
static size_t index_of(const raski_watermark_multiplexer *mux, const char *id) {
    size_t i = 0;
    while (i < mux->ids.count && strcmp(mux->ids.items[i], id) != 0) i++;
    return i;
}

rask_status raski_watermark_multiplexer_register(raski_watermark_multiplexer *mux, const char *id,
                                                 raski_split_watermark **ret_split,
                                                 raski_error *err) {
    if (index_of(mux, id) < mux->splits.count)
        return RASKI_THROW(err, "IllegalStateException", "Already contains an output for ID %s",
                           id);
    raski_split_watermark *split = RASKI_NEW(raski_split_watermark);
    *split = RASKI_PARTIAL_WATERMARK_INITIAL;
    raski_vec_push(&mux->ids, raski_strdup(id));
    raski_vec_push(&mux->splits, split);
    *ret_split = split;
    return RASK_OK;
}

bool raski_watermark_multiplexer_unregister(raski_watermark_multiplexer *mux, const char *id) {
    const size_t index = index_of(mux, id);
    if (index == mux->splits.count) return false;
    raski_free(mux->ids.items[index]);
    raski_free(mux->splits.items[index]);
    const size_t last = --mux->splits.count;
    mux->ids.count--;
    mux->ids.items[index] = mux->ids.items[last];
    mux->splits.items[index] = mux->splits.items[last];
    return true;
}

raski_split_watermark *raski_watermark_multiplexer_find(const raski_watermark_multiplexer *mux,
                                                        const char *id) {
    const size_t index = index_of(mux, id);
    return index < mux->splits.count ? mux->splits.items[index] : NULL;
}

static raski_watermark_change combine(raski_watermark_multiplexer *mux) {
    raski_watermark_change change = {0};
    if (mux->splits.count > 0) {
        const int64_t reached =
            raski_partial_watermarks_combine(mux->splits.items, mux->splits.count, &mux->idle);
        if (reached > mux->watermark_ms) {
            mux->watermark_ms = reached;
            change.has_watermark = true;
            change.watermark_ms = reached;
        }
    }
    change.has_status = change.idle = mux->idle;
    return change;
}

raski_watermark_change raski_watermark_multiplexer_advance(raski_watermark_multiplexer *mux,
                                                           raski_split_watermark *split,
                                                           int64_t watermark_ms) {
    /* Only one that is ahead of the others can move the whole on. */
    if (raski_partial_watermark_set(split, watermark_ms) && watermark_ms > mux->watermark_ms)
        return combine(mux);
    return (raski_watermark_change){0};
}

raski_watermark_change raski_watermark_multiplexer_status(raski_watermark_multiplexer *mux,
                                                          raski_split_watermark *split, bool idle) {
    split->idle = idle;
    return combine(mux);
}

void raski_watermark_multiplexer_defer_watermark(raski_split_watermark *split,
                                                 int64_t watermark_ms) {
    (void)raski_partial_watermark_set(split, watermark_ms);
}

void raski_watermark_multiplexer_defer_status(raski_split_watermark *split, bool idle) {
    split->idle = idle;
}

raski_watermark_change raski_watermark_multiplexer_periodic(raski_watermark_multiplexer *mux) {
    return combine(mux);
}

bool raski_watermark_multiplexer_is_idle(const raski_watermark_multiplexer *mux) {
    for (size_t i = 0; i < mux->splits.count; i++)
        if (!mux->splits.items[i]->idle) return false;
    return true;
}
