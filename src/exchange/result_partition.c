#include "exchange/result_partition.h"

#include "base/alloc.h"
#include "exchange/network_pool_private.h"
#include "exchange/result_partition_private.h"

enum {
    BUFFERS_PER_CHANNEL_DEFAULT = 2,
    FLOATING_BUFFERS_DEFAULT = 8,
    OVERDRAFT_BUFFERS_DEFAULT = 5,
    EVENT_SLOTS = 16, /* of a ring, for event buffers, which are not counted */
    RECORD_BYTES_MAX_DEFAULT = 1 << 30,
};

static uint32_t power_of_two_from(size_t least) {
    uint32_t power = 1;
    while (power < least) power *= 2;
    return power;
}

static uint32_t or_default(uint32_t value, uint32_t value_if_zero) {
    return value != 0 ? value : value_if_zero;
}

static void set_up_pool(raski_result_partition *partition,
                        const raski_result_partition_options *options) {
    size_t per_channel = or_default(options->buffers_per_channel, BUFFERS_PER_CHANNEL_DEFAULT);
    size_t max = options->subpartition_count * per_channel +
                 or_default(options->floating_buffers, FLOATING_BUFFERS_DEFAULT);
    partition->pool = options->pool;
    partition->buffers_required = (size_t)options->subpartition_count + 1;
    size_t min = options->subpartition_count == 1 ? RASKI_BUFFERS_MIN : RASKI_BUFFERS_MIN_SEVERAL;
    if (max < min) max = min;
    if (max < partition->buffers_required) max = partition->buffers_required;
    partition->buffers_max = max;
    partition->buffers_overdraft =
        or_default(options->overdraft_buffers, OVERDRAFT_BUFFERS_DEFAULT);
}

rask_status raski_result_partition_create(const raski_result_partition_options *options,
                                          raski_result_partition **ret_partition,
                                          raski_error *err) {
    RASKI_ASSERT(options->subpartition_count > 0);
    raski_result_partition *partition = RASKI_NEW(raski_result_partition);
    set_up_pool(partition, options);
    if (options->storage == RASKI_STORAGE_BLOCKING) {
        rask_status status = raski_spill_file_create(
            options->spill_directory, options->subpartition_count, &partition->spill, err);
        if (status != RASK_OK) {
            raski_free(partition);
            return status;
        }
    }
    rask_status status =
        raski_network_pool_reserve(options->pool, partition->buffers_required, err);
    if (status != RASK_OK) {
        raski_spill_file_destroy(partition->spill);
        raski_free(partition);
        return status;
    }
    atomic_init(&partition->references, 1);
    atomic_init(&partition->is_finished, false);
    atomic_init(&partition->is_writer_taken, false);
    atomic_init(&partition->producer_bell, NULL);
    partition->name = raski_strdup(options->name ? options->name : "");
    partition->storage = options->storage;
    partition->type = options->type;
    raski_buffer_format_init(&partition->format, options->type, options->has_timestamps,
                             options->has_hashes);
    partition->record_bytes_max =
        options->record_bytes_max ? options->record_bytes_max : RECORD_BYTES_MAX_DEFAULT;
    partition->subpartition_count = options->subpartition_count;
    size_t slots = partition->buffers_max + partition->buffers_overdraft + EVENT_SLOTS;
    if (partition->spill != NULL) slots = 1;
    partition->channels = raski_try_alloc(sizeof(raski_channel) * options->subpartition_count, 64);
    RASKI_ASSERT(partition->channels != NULL);
    for (uint32_t i = 0; i < options->subpartition_count; i++) {
        raski_channel_init(&partition->channels[i], power_of_two_from(slots));
    }
    *ret_partition = partition;
    return RASK_OK;
}

raski_result_partition *raski_result_partition_ref(raski_result_partition *partition) {
    (void)atomic_fetch_add_explicit(&partition->references, 1, memory_order_relaxed);
    return partition;
}

void raski_result_partition_unref(raski_result_partition *partition) {
    if (partition == NULL) return;
    if (atomic_fetch_sub_explicit(&partition->references, 1, memory_order_acq_rel) != 1) return;
    for (uint32_t i = 0; i < partition->subpartition_count; i++) {
        /* nobody reads any more, whatever was left in the ring */
        raski_channel_leave(&partition->channels[i], NULL);
    }
    raski_partition_reclaim(partition);
    raski_partition_trim(partition);
    RASKI_ASSERT(partition->held == 0);
    raski_network_pool_unreserve(partition->pool, partition->buffers_required);
    for (uint32_t i = 0; i < partition->subpartition_count; i++) {
        raski_channel_fini(&partition->channels[i]);
    }
    raski_free(partition->channels);
    raski_spill_file_destroy(partition->spill);
    raski_doorbell_unref(raski_partition_producer_bell(partition));
    raski_buffer_format_fini(&partition->format);
    raski_free(partition->name);
    raski_free(partition);
}

void raski_partition_recycle(raski_result_partition *partition, raski_buffer *buffer) {
    if (!buffer->is_pooled) {
        partition->unpooled_bytes -= buffer->size;
        raski_buffer_free(buffer);
        return;
    }
    if (partition->held > partition->buffers_required &&
        (raski_network_pool_is_overbooked(partition->pool) ||
         partition->held > partition->buffers_max)) {
        buffer->next_free = NULL;
        raski_network_pool_give(partition->pool, buffer, 1, partition->buffers_required,
                                partition->held--);
        return;
    }
    buffer->next_free = partition->free_list;
    partition->free_list = buffer;
    partition->free_count++;
}

void raski_partition_reclaim(raski_result_partition *partition) {
    for (uint32_t i = 0; i < partition->subpartition_count; i++) {
        raski_channel *channel = &partition->channels[i];
        uint32_t tail = raski_channel_load_tail(channel);
        raski_buffer *buffer;
        while ((buffer = raski_channel_reclaim(channel, tail)) != NULL) {
            if (--buffer->references == 0) raski_partition_recycle(partition, buffer);
        }
    }
}

void raski_partition_trim(raski_result_partition *partition) {
    raski_network_pool_give(partition->pool, partition->free_list, partition->free_count,
                            partition->buffers_required, partition->held);
    partition->held -= partition->free_count;
    partition->free_list = NULL;
    partition->free_count = 0;
}

uint32_t raski_result_partition_subpartition_count(const raski_result_partition *partition) {
    return partition->subpartition_count;
}

raski_result_storage raski_result_partition_storage(const raski_result_partition *partition) {
    return partition->storage;
}

const rask_type *raski_result_partition_type(const raski_result_partition *partition) {
    return partition->type;
}

bool raski_result_partition_is_finished(const raski_result_partition *partition) {
    return atomic_load_explicit(&partition->is_finished, memory_order_acquire);
}

uint64_t raski_result_partition_bytes(const raski_result_partition *partition,
                                      uint32_t subpartition) {
    if (partition->spill == NULL || !raski_result_partition_is_finished(partition)) return 0;
    return raski_spill_file_bytes(partition->spill, subpartition);
}
