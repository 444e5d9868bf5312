#include "operators/time/watermark_valve.h"

#include "base/alloc.h"

/* ---------------------------------------------------------------- heap of aligned channels */
static int64_t watermark_at(const raski_watermark_valve *v, size_t place) {
    return v->channels[v->heap[place - 1]].watermark_ms;
}

static void put(raski_watermark_valve *v, size_t place, size_t channel) {
    v->heap[place - 1] = channel;
    v->channels[channel].place = place;
}

static void sift_up(raski_watermark_valve *v, size_t place) {
    const size_t channel = v->heap[place - 1];
    const int64_t watermark = v->channels[channel].watermark_ms;
    for (; place > 1 && watermark_at(v, place / 2) > watermark; place /= 2)
        put(v, place, v->heap[place / 2 - 1]);
    put(v, place, channel);
}

static void sift_down(raski_watermark_valve *v, size_t place) {
    const size_t channel = v->heap[place - 1];
    const int64_t watermark = v->channels[channel].watermark_ms;
    for (size_t child = 2 * place; child <= v->heap_count; child = 2 * place) {
        if (child < v->heap_count && watermark_at(v, child + 1) < watermark_at(v, child)) child++;
        if (watermark_at(v, child) >= watermark) break;
        put(v, place, v->heap[child - 1]);
        place = child;
    }
    put(v, place, channel);
}

static void align(raski_watermark_valve *v, size_t channel) {
    if (v->channels[channel].place != 0) return;
    v->heap_count++;
    put(v, v->heap_count, channel);
    sift_up(v, v->heap_count);
}

static void unalign(raski_watermark_valve *v, size_t channel) {
    const size_t place = v->channels[channel].place;
    if (place == 0) return;
    v->channels[channel].place = 0;
    const size_t last = v->heap[--v->heap_count];
    if (last == channel) return;
    put(v, place, last);
    sift_up(v, place);
    sift_down(v, v->channels[last].place);
}

/* ---------------------------------------------------------------- steps */
void raski_watermark_valve_init(raski_watermark_valve *valve, size_t channel_count) {
    *valve = (raski_watermark_valve){
        .channels = RASKI_NEW_ARRAY(raski_valve_channel, channel_count),
        .channel_count = channel_count,
        .active_count = channel_count,
        .heap = RASKI_NEW_ARRAY(size_t, channel_count),
        .watermark_ms = RASKI_WATERMARK_NONE,
    };
    for (size_t i = 0; i < channel_count; i++) {
        valve->channels[i].watermark_ms = RASKI_WATERMARK_NONE;
        align(valve, i);
    }
}

void raski_watermark_valve_fini(raski_watermark_valve *valve) {
    raski_free(valve->channels);
    raski_free(valve->heap);
    *valve = (raski_watermark_valve){0};
}

static rask_status check_channel(const raski_watermark_valve *v, size_t channel, raski_error *err) {
    if (channel < v->channel_count) return RASK_OK;
    return RASKI_THROW(err, "IndexOutOfBoundsException", "Index %zu out of bounds for length %zu",
                       channel, v->channel_count);
}

static void advance_to(raski_watermark_valve *v, int64_t watermark_ms,
                       raski_watermark_change *change) {
    if (watermark_ms <= v->watermark_ms) return;
    v->watermark_ms = watermark_ms;
    change->has_watermark = true;
    change->watermark_ms = watermark_ms;
}

static void advance_to_least(raski_watermark_valve *v, raski_watermark_change *change) {
    if (v->heap_count > 0) advance_to(v, watermark_at(v, 1), change);
}

static void advance_to_highest(raski_watermark_valve *v, raski_watermark_change *change) {
    int64_t highest = RASKI_WATERMARK_NONE;
    for (size_t i = 0; i < v->channel_count; i++)
        if (v->channels[i].watermark_ms > highest) highest = v->channels[i].watermark_ms;
    advance_to(v, highest, change);
}

rask_status raski_watermark_valve_watermark(raski_watermark_valve *valve, size_t channel,
                                            int64_t watermark_ms,
                                            raski_watermark_change *ret_change, raski_error *err) {
    RASKI_TRY(check_channel(valve, channel, err));
    *ret_change = (raski_watermark_change){0};
    raski_valve_channel *c = &valve->channels[channel];
    if (valve->idle || c->idle || watermark_ms <= c->watermark_ms) return RASK_OK;
    c->watermark_ms = watermark_ms;
    if (c->place != 0)
        sift_down(valve, c->place);
    else if (watermark_ms >= valve->watermark_ms)
        align(valve, channel); /* it has caught up */
    advance_to_least(valve, ret_change);
    return RASK_OK;
}

static void become_idle(raski_watermark_valve *v, size_t channel, raski_watermark_change *change) {
    raski_valve_channel *c = &v->channels[channel];
    c->idle = true;
    v->active_count--;
    unalign(v, channel);
    const bool held_back = c->watermark_ms == v->watermark_ms;
    if (v->active_count > 0) {
        if (held_back) advance_to_least(v, change);
        return;
    }
    /* Nobody moves on any more: whatever the channels had reached is reached now, so that the
     * order in which they became idle does not matter. If the last one was not the one that held
     * the others back, the watermark has been moved on before. */
    if (held_back) advance_to_highest(v, change);
    v->idle = true;
    change->has_status = change->idle = true;
}

static void become_active(raski_watermark_valve *v, size_t channel,
                          raski_watermark_change *change) {
    raski_valve_channel *c = &v->channels[channel];
    c->idle = false;
    v->active_count++;
    if (c->watermark_ms >= v->watermark_ms) align(v, channel);
    if (!v->idle) return;
    v->idle = false;
    change->has_status = true;
}

rask_status raski_watermark_valve_status(raski_watermark_valve *valve, size_t channel, bool idle,
                                         raski_watermark_change *ret_change, raski_error *err) {
    RASKI_TRY(check_channel(valve, channel, err));
    *ret_change = (raski_watermark_change){0};
    if (idle == valve->channels[channel].idle) return RASK_OK;
    if (idle)
        become_idle(valve, channel, ret_change);
    else
        become_active(valve, channel, ret_change);
    return RASK_OK;
}
