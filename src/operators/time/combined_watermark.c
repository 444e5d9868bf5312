#include "operators/time/combined_watermark.h"

bool raski_partial_watermark_set(raski_partial_watermark *part, int64_t watermark_ms) {
    part->idle = false;
    if (watermark_ms <= part->watermark_ms) return false;
    part->watermark_ms = watermark_ms;
    return true;
}

/* What has been seen of the parts so far. */
typedef struct extent {
    int64_t highest, least_active;
    bool all_idle;
} extent;

static const extent nothing_seen = {RASKI_WATERMARK_NONE, RASKI_WATERMARK_MAX, true};

static void see(extent *e, const raski_partial_watermark *part) {
    if (part->watermark_ms > e->highest) e->highest = part->watermark_ms;
    if (part->idle) return;
    if (part->watermark_ms < e->least_active) e->least_active = part->watermark_ms;
    e->all_idle = false;
}

static int64_t reached(const extent *e) {
    return e->all_idle ? e->highest : e->least_active;
}

int64_t raski_partial_watermarks_combine(raski_partial_watermark *const *parts, size_t count,
                                         bool *ret_idle) {
    extent e = nothing_seen;
    for (size_t i = 0; i < count; i++) see(&e, parts[i]);
    *ret_idle = e.all_idle;
    return reached(&e);
}

void raski_combined_watermark_init(raski_combined_watermark *combined, size_t part_count) {
    *combined = (raski_combined_watermark){
        .parts = RASKI_NEW_ARRAY(raski_partial_watermark, part_count),
        .part_count = part_count,
        .watermark_ms = RASKI_WATERMARK_NONE,
    };
    for (size_t i = 0; i < part_count; i++) combined->parts[i] = RASKI_PARTIAL_WATERMARK_INITIAL;
}

void raski_combined_watermark_fini(raski_combined_watermark *combined) {
    raski_free(combined->parts);
    *combined = (raski_combined_watermark){0};
}

static raski_watermark_change update(raski_combined_watermark *combined) {
    extent e = nothing_seen;
    for (size_t i = 0; i < combined->part_count; i++) see(&e, &combined->parts[i]);
    combined->idle = e.all_idle;
    raski_watermark_change change = {0};
    if (reached(&e) <= combined->watermark_ms) return change;
    combined->watermark_ms = reached(&e);
    change.has_watermark = true;
    change.watermark_ms = combined->watermark_ms;
    return change;
}

raski_watermark_change raski_combined_watermark_advance(raski_combined_watermark *combined,
                                                        size_t index, int64_t watermark_ms) {
    RASKI_ASSERT(index < combined->part_count);
    (void)raski_partial_watermark_set(&combined->parts[index], watermark_ms);
    return update(combined);
}

raski_watermark_change raski_combined_watermark_status(raski_combined_watermark *combined,
                                                       size_t index, bool idle) {
    RASKI_ASSERT(index < combined->part_count);
    const bool was_idle = combined->idle;
    combined->parts[index].idle = idle;
    raski_watermark_change change = update(combined);
    change.has_status = was_idle != combined->idle;
    change.idle = change.has_status && combined->idle;
    return change;
}
