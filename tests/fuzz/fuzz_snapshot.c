/* Any bytes as a snapshot, also with checksums made right, so that what lies behind them is
 * reached: they are refused, or restored into a table with every kind of state. The corpus are
 * snapshots of such a table; the first byte says whether checksums are made right. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "state/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct person {
    rask_string name;
    bool active;
    int64_t age;
    int16_t marks[3];
} person;
static const rask_field PERSON_FIELDS[] = {
    {"name", offsetof(person, name), 16, &rask_type_rask_string, 0},
    {"active", offsetof(person, active), 1, &rask_type_rask_bool, 0},
    {"age", offsetof(person, age), 8, &rask_type_int64_t, 0},
    {"marks", offsetof(person, marks), 6, &rask_type_int16_t, 3}};
static const rask_type PERSON = {
    "person", RASK_KIND_RECORD, sizeof(person), 8, 4, PERSON_FIELDS, NULL, 0, NULL};

typedef struct key {
    rask_string key;
    int64_t end;
} key;
static const raski_key_spec KEY = {
    2, {{offsetof(key, key), &rask_type_rask_string}, {offsetof(key, end), &rask_type_int64_t}}};
static const raski_state_spec STATES[] = {
    {.name = "count", .type = &rask_type_int64_t},
    {.name = "person", .type = &PERSON},
    {.name = "list", .type = &rask_type_rask_string, .kind = RASKI_STATE_LIST},
    {.name = "map", .type = &PERSON, .kind = RASKI_STATE_MAP, .map_key = &rask_type_rask_string},
    {.name = "seen", .type = &rask_type_rask_string, .ttl = {.time_ms = 1000000}},
};
static const raski_operator_state_spec OPERATOR_STATES[] = {
    {"offsets", RASKI_OPERATOR_STATE_SPLIT, &rask_type_rask_string, NULL},
    {"rules", RASKI_OPERATOR_STATE_BROADCAST, &PERSON, &rask_type_rask_string},
};

/* Gives the frames at bytes, as far as their sizes make sense, the checksums they should have, and
 * the last one what it should say. */
static void repair(char *bytes, size_t size) {
    uint64_t frames = 0;
    uint32_t all = 0;
    for (size_t at = 0; size - at >= sizeof(raski_frame_header);) {
        raski_frame_header header;
        memcpy(&header, bytes + at, sizeof header);
        char *payload = bytes + at + sizeof header;
        size_t left = size - at - sizeof header;
        header.magic = RASKI_SNAPSHOT_MAGIC;
        header.version = RASKI_SNAPSHOT_VERSION;
        if (header.size > left) header.size = left;
        if (header.kind == RASKI_FRAME_END && header.size >= 20) {
            const uint64_t before = at;
            header.size = 20;
            memcpy(payload, &frames, 8);
            memcpy(payload + 8, &before, 8);
            memcpy(payload + 16, &all, 4);
        }
        header.crc = 0;
        uint32_t crc = (uint32_t)crc32_z(0, (const unsigned char *)&header, sizeof header);
        if (header.size) crc = (uint32_t)crc32_z(crc, (const unsigned char *)payload, header.size);
        header.crc = crc;
        memcpy(bytes + at, &header, sizeof header);
        all = (uint32_t)crc32_z(all, (const unsigned char *)&crc, sizeof crc);
        frames++;
        at += sizeof header + (size_t)header.size;
    }
}

static rask_status visit(void *context, uint32_t version, const void *item, size_t size,
                         raski_error *err) {
    (void)version, (void)err;
    for (size_t i = 0; i < size; i++) *(unsigned *)context += ((const unsigned char *)item)[i];
    return RASK_OK;
}

static void read_all(const char *bytes, size_t size) {
    raski_snapshot_input input = {"fuzz", bytes, size};
    raski_snapshot_info info = {.operator_id = {{1, 2, 3}},
                                .operator_name = "op",
                                .max_parallelism = 128,
                                .parallelism = 1};
    raski_operator_snapshot_reader *reader = NULL;
    if (raski_snapshot_reader_create(&input, 1, &info, &reader, NULL) != RASK_OK) return;
    raski_keyed_table *table = NULL;
    raski_keyed_table_options options = {.key = &KEY,
                                         .states = STATES,
                                         .state_count = sizeof STATES / sizeof *STATES,
                                         .namespace_parts = 1,
                                         .timers = true};
    raski_operator_states *states = NULL;
    if (raski_keyed_table_create(&options, &table, NULL) != RASK_OK ||
        raski_operator_states_create(OPERATOR_STATES, 2, "op", NULL, &states, NULL) != RASK_OK)
        abort();
    raski_timer_queue *queues[] = {raski_timer_queue_create(table),
                                   raski_timer_queue_create(table)};
    raski_error err = {0};
    if (raski_snapshot_reader_keyed(reader, "keyed", table, queues[0], queues[1], &err) !=
            RASK_OK &&
        err.message[0] == 0)
        abort();
    err = (raski_error){0};
    if (raski_snapshot_reader_operator_states(reader, states, &err) != RASK_OK &&
        err.message[0] == 0)
        abort();
    unsigned sum = 0;
    (void)!raski_snapshot_reader_items(reader, "positions", visit, &sum, NULL);
    raski_timer_queue_destroy(queues[0]);
    raski_timer_queue_destroy(queues[1]);
    raski_keyed_table_destroy(table);
    raski_operator_states_destroy(states);
    raski_snapshot_reader_destroy(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    size--;
    char *bytes = raski_try_alloc(size, 0); /* of exact size, for the sanitizer */
    if (bytes == NULL) return 0;
    memcpy(bytes, data + 1, size);
    if (data[0] & 1) repair(bytes, size);
    read_all(bytes, size);
    raski_free(bytes);
    return 0;
}
