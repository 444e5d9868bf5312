/* snapshot_frame.h - the frames that a snapshot is made of: a header with sizes and a checksum, and
 * a payload. docs/snapshot-format.md is the reference. Threads: pure. */
#ifndef RASKI_STATE_SNAPSHOT_FRAME_H
#define RASKI_STATE_SNAPSHOT_FRAME_H
#include "base/status.h"
#include "state/value_codec.h"

enum {
    RASKI_SNAPSHOT_VERSION = 1,
    RASKI_FRAME_HEADER = 32,
};
#define RASKI_SNAPSHOT_MAGIC UINT32_C(0x504e5352) /* "RSNP" */
#define RASKI_NO_KEY_GROUP UINT32_MAX
#define RASKI_FRAME_PAYLOAD_MAX UINT32_C(0x7fffffff)

typedef enum raski_frame_kind {
    RASKI_FRAME_HEAD = 1,         /* first: who wrote it */
    RASKI_FRAME_KEYED = 2,        /* a keyed table: its key and states */
    RASKI_FRAME_ROWS = 3,         /* rows of one key group of a table */
    RASKI_FRAME_EVENT_TIMERS = 4, /* timers of one key group of a table */
    RASKI_FRAME_PROCESSING_TIMERS = 5,
    RASKI_FRAME_OPERATOR = 6, /* an operator state: its mode and types */
    RASKI_FRAME_ITEMS = 7,    /* items or entries of an operator state */
    RASKI_FRAME_BYTES = 8,    /* opaque bytes with a name and a version */
    RASKI_FRAME_END = 9,      /* last */
} raski_frame_kind;

/* Numbers are little-endian, and the struct is the header as it is stored. */
typedef struct raski_frame_header {
    uint32_t magic;
    uint16_t version;
    uint16_t kind;
    uint32_t key_group; /* ROWS and timers; else RASKI_NO_KEY_GROUP */
    uint32_t id;        /* of the table or operator state; else 0 */
    uint32_t count;     /* rows, timers, items */
    uint32_t crc;       /* CRC-32 (zlib) of the header with this field 0, and of the payload */
    uint64_t size;      /* of the payload, bytes */
} raski_frame_header;
_Static_assert(sizeof(raski_frame_header) == RASKI_FRAME_HEADER, "as stored");

/* Where a snapshot goes, piece by piece. */
typedef struct raski_snapshot_sink {
    void *context;
    rask_status (*write)(void *context, const void *bytes, size_t size, raski_error *err);
} raski_snapshot_sink;

/* What was written so far, for the last frame. Zero-initialised is the start. */
typedef struct raski_frame_stream {
    uint64_t frames, bytes;
    uint32_t crc; /* of all frames' checksums */
} raski_frame_stream;

/* Completes the header (magic, version, size, checksum) and writes the frame. */
RASKI_NODISCARD rask_status raski_frame_write(raski_frame_stream *stream, raski_frame_header header,
                                              const void *payload, size_t size,
                                              const raski_snapshot_sink *sink, raski_error *err);
RASKI_NODISCARD rask_status raski_frame_write_end(raski_frame_stream *stream,
                                                  const raski_snapshot_sink *sink,
                                                  raski_error *err);

/* A whole frame; payload is borrowed. */
typedef struct raski_frame {
    raski_frame_header header;
    const char *payload;
} raski_frame;
/* Takes the next frame from size bytes at bytes, *position being where it starts, and checks it:
 * its checksum, and what the last frame says of all others. name: of the snapshot, for messages.
 * RASK_E_CORRUPT: damaged or cut off; RASK_E_ARGUMENT: no snapshot, or one of another version. */
RASKI_NODISCARD rask_status raski_frame_read(raski_frame_stream *stream, const char *bytes,
                                             size_t size, const char *name, size_t *position,
                                             raski_frame *ret_frame, raski_error *err);
#endif
