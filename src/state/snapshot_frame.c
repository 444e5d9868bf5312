#include "state/snapshot_frame.h"

#include <limits.h>
#include <zlib.h>

static uint32_t checksum(uint32_t crc, const void *bytes, size_t size) {
    return (uint32_t)crc32_z(crc, bytes, size);
}

static uint32_t frame_checksum(raski_frame_header header, const void *payload) {
    header.crc = 0;
    uint32_t crc = checksum(0, &header, sizeof header);
    return header.size ? checksum(crc, payload, (size_t)header.size) : crc;
}

static void note(raski_frame_stream *stream, const raski_frame_header *header) {
    stream->frames++;
    stream->bytes += sizeof *header + header->size;
    stream->crc = checksum(stream->crc, &header->crc, sizeof header->crc);
}

rask_status raski_frame_write(raski_frame_stream *stream, raski_frame_header header,
                              const void *payload, size_t size, const raski_snapshot_sink *sink,
                              raski_error *err) {
    if (size > RASKI_FRAME_PAYLOAD_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "one key has %zu bytes of state; a snapshot can hold %u of one key", size,
                          RASKI_FRAME_PAYLOAD_MAX);
    header.magic = RASKI_SNAPSHOT_MAGIC;
    header.version = RASKI_SNAPSHOT_VERSION;
    header.size = size;
    header.crc = frame_checksum(header, payload);
    RASKI_TRY(sink->write(sink->context, &header, sizeof header, err));
    if (size) RASKI_TRY(sink->write(sink->context, payload, size, err));
    note(stream, &header);
    return RASK_OK;
}

rask_status raski_frame_write_end(raski_frame_stream *stream, const raski_snapshot_sink *sink,
                                  raski_error *err) {
    raski_frame_stream end = *stream;
    raski_byte_writer payload = {0};
    raski_write_u64(&payload, end.frames);
    raski_write_u64(&payload, end.bytes);
    raski_write_u32(&payload, end.crc);
    raski_frame_header header = {.kind = RASKI_FRAME_END, .key_group = RASKI_NO_KEY_GROUP};
    rask_status status =
        payload.failed ? RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a snapshot")
                       : raski_frame_write(stream, header, payload.bytes, payload.size, sink, err);
    raski_byte_writer_fini(&payload);
    return status;
}

static rask_status cut_off(const char *name, size_t size, raski_error *err) {
    return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL,
                      "the snapshot %s is cut off: it ends after %zu bytes inside a frame", name,
                      size);
}

static rask_status damaged(const char *name, size_t position, raski_error *err) {
    return RASKI_FAIL(
        err, RASK_E_CORRUPT, EXTERNAL,
        "the snapshot %s is damaged: the frame at byte %zu does not have its checksum", name,
        position);
}

static rask_status check_end(const raski_frame_stream *stream, const raski_frame *frame,
                             const char *name, raski_error *err) {
    raski_byte_reader in = {.at = frame->payload, .end = frame->payload + frame->header.size};
    uint64_t frames = 0, bytes = 0;
    uint32_t crc = 0;
    if (raski_read_u64(&in, &frames) && raski_read_u64(&in, &bytes) && raski_read_u32(&in, &crc) &&
        in.at == in.end && frames == stream->frames && bytes == stream->bytes && crc == stream->crc)
        return RASK_OK;
    return RASKI_FAIL(
        err, RASK_E_CORRUPT, EXTERNAL,
        "the snapshot %s is damaged: it should have %llu frames in %llu bytes, and has "
        "%llu in %llu, or others",
        name, (unsigned long long)frames, (unsigned long long)bytes,
        (unsigned long long)stream->frames, (unsigned long long)stream->bytes);
}

rask_status raski_frame_read(raski_frame_stream *stream, const char *bytes, size_t size,
                             const char *name, size_t *position, raski_frame *ret_frame,
                             raski_error *err) {
    raski_frame frame;
    size_t at = *position;
    if (size - at < sizeof frame.header) return cut_off(name, size, err);
    memcpy(&frame.header, bytes + at, sizeof frame.header);
    if (frame.header.magic != RASKI_SNAPSHOT_MAGIC) {
        if (at == 0) return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s is no snapshot", name);
        return damaged(name, at, err);
    }
    if (frame.header.version != RASKI_SNAPSHOT_VERSION)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "the snapshot %s has version %u; this build reads version %d", name,
                          frame.header.version, RASKI_SNAPSHOT_VERSION);
    frame.payload = bytes + at + sizeof frame.header;
    if (frame.header.size > size - at - sizeof frame.header) return cut_off(name, size, err);
    if (frame_checksum(frame.header, frame.payload) != frame.header.crc)
        return damaged(name, at, err);
    if (frame.header.kind == RASKI_FRAME_END) RASKI_TRY(check_end(stream, &frame, name, err));
    note(stream, &frame.header);
    *position = at + sizeof frame.header + (size_t)frame.header.size;
    *ret_frame = frame;
    return RASK_OK;
}
