#include "connectors/part_buckets.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "connectors/little_endian.h"

enum { VERSION = 1, BUFFER_BYTES = 64 * 1024 };

typedef struct bucket {
    struct bucket *newer, *older; /* in the list of open ones, by last use */
    uint64_t hash;
    char *path; /* of the folder; owned */
    char *id;   /* owned, id_length bytes */
    size_t id_length;
    uint64_t counter;     /* of the next file */
    raski_part_file part; /* in progress, or NONE */
    rask_text buffer;     /* of it, not yet written */
    bool is_counted;      /* counter is behind what the folder holds */
    bool is_open;         /* in the list */
} bucket;

struct raski_buckets {
    raski_buckets_options options;
    bucket **items; /* owned; in the order of their first record */
    size_t count, capacity;
    uint32_t *slots; /* index + 1 into items; 0: free */
    size_t slot_count;
    bucket *last; /* written to; NULL: none */
    bucket *newest, *oldest;
    int open;
    raski_part_list pending;
};

static bool no_memory(const raski_buckets *b, char *message, size_t size) {
    (void)snprintf(message, size, "no memory to write to \"%s\"", b->options.folder);
    return false;
}

/* ---------------------------------------------------------------- lists of pending files */
static bool list_add(raski_part_list *list, raski_part_file part) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 8;
        raski_part_file *items = realloc(list->items, capacity * sizeof *items);
        if (items == NULL) return false;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = part;
    return true;
}

void raski_part_list_abandon(raski_part_list *list) {
    for (size_t i = 0; i < list->count; i++) raski_part_file_abandon(&list->items[i]);
    free(list->items);
    *list = (raski_part_list){0};
}

bool raski_part_list_commit(raski_part_list *list, char *message, size_t size) {
    for (size_t i = 0; i < list->count; i++) {
        if (raski_part_file_commit(&list->items[i], message, size)) continue;
        while (i-- > 0) raski_part_file_take_back(&list->items[i]);
        return false;
    }
    return true;
}

/* ---------------------------------------------------------------- life */
raski_buckets *raski_buckets_create(const raski_buckets_options *options) {
    raski_buckets *b = calloc(1, sizeof *b);
    if (b != NULL) b->options = *options;
    return b;
}

static void destroy_bucket(bucket *k) {
    free(k->buffer.data);
    free(k->path);
    free(k->id);
    free(k);
}

void raski_buckets_destroy(raski_buckets *buckets_take) {
    raski_buckets *b = buckets_take;
    if (b == NULL) return;
    void (*const forget)(raski_part_file *) =
        b->options.are_saved ? raski_part_file_leave : raski_part_file_abandon;
    for (size_t i = 0; i < b->count; i++) {
        forget(&b->items[i]->part);
        destroy_bucket(b->items[i]);
    }
    for (size_t i = 0; i < b->pending.count; i++) forget(&b->pending.items[i]);
    b->pending.count = 0;
    raski_part_list_abandon(&b->pending);
    free(b->items);
    free(b->slots);
    free(b);
}

/* ---------------------------------------------------------------- finding a bucket */
static uint64_t hash_of(const char *id, size_t length) { /* FNV-1a */
    uint64_t h = 0xcbf29ce484222325U;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)id[i]) * 0x100000001b3U;
    return h ^ h >> 32;
}

static bool is_bucket(const bucket *k, uint64_t hash, const char *id, size_t length) {
    return k->hash == hash && k->id_length == length && memcmp(k->id, id, length) == 0;
}

static uint32_t *slot_of(const raski_buckets *b, uint64_t hash, const char *id, size_t length) {
    size_t i = hash & (b->slot_count - 1);
    while (b->slots[i] != 0 && !is_bucket(b->items[b->slots[i] - 1], hash, id, length))
        i = (i + 1) & (b->slot_count - 1);
    return &b->slots[i];
}

static bool make_room(raski_buckets *b) {
    if (b->count == b->capacity) {
        size_t capacity = b->capacity ? b->capacity * 2 : 16;
        bucket **items = realloc(b->items, capacity * sizeof(bucket *));
        if (items == NULL) return false;
        b->items = items;
        b->capacity = capacity;
    }
    if ((b->count + 1) * 2 <= b->slot_count) return true;
    size_t slot_count = b->slot_count ? b->slot_count * 2 : 32;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (slots == NULL) return false;
    free(b->slots);
    b->slots = slots;
    b->slot_count = slot_count;
    for (size_t i = 0; i < b->count; i++)
        *slot_of(b, b->items[i]->hash, b->items[i]->id, b->items[i]->id_length) = (uint32_t)i + 1;
    return true;
}

/* A bucket is a folder below the sink's: "2026-01-01--10", "de/berlin". */
static bool check_id(const raski_buckets *b, const char *id, size_t length, char *message,
                     size_t size) {
    const char *wrong = NULL;
    if (memchr(id, '\0', length) != NULL) wrong = "has a NUL byte";
    if (length > 0 && (id[0] == '/' || id[length - 1] == '/')) wrong = "begins or ends with a /";
    if (length > PATH_MAX / 2) wrong = "is too long";
    for (size_t i = 0; i < length && wrong == NULL;) {
        const char *slash = memchr(id + i, '/', length - i);
        size_t part = slash ? (size_t)(slash - id) - i : length - i;
        if (part == 0) wrong = "has an empty part";
        if (part == 1 && id[i] == '.') wrong = "has a part \".\"";
        if (part == 2 && memcmp(id + i, "..", 2) == 0) wrong = "leads out of the folder";
        if (part > NAME_MAX) wrong = "has a part that is too long";
        i += part + 1;
    }
    if (wrong == NULL) return true;
    (void)snprintf(message, size, "the bucket \"%.*s\" of \"%s\" %s",
                   length < 100 ? (int)length : 100, id, b->options.folder, wrong);
    return false;
}

static bucket *add_bucket(raski_buckets *b, uint64_t hash, const char *id, size_t length,
                          char *message, size_t size) {
    if (!check_id(b, id, length, message, size)) return NULL;
    bucket *k = make_room(b) ? calloc(1, sizeof *k) : NULL;
    if (k != NULL) {
        k->part = RASKI_PART_FILE_NONE;
        k->hash = hash;
        k->id_length = length;
        k->id = strndup(id, length);
        if (asprintf(&k->path, "%s%s%.*s", b->options.folder, length > 0 ? "/" : "", (int)length,
                     id) < 0)
            k->path = NULL;
        if (k->id == NULL || k->path == NULL) {
            destroy_bucket(k);
            k = NULL;
        }
    }
    if (k == NULL) {
        (void)no_memory(b, message, size);
        return NULL;
    }
    *slot_of(b, hash, id, length) = (uint32_t)b->count + 1;
    b->items[b->count++] = k;
    return k;
}

static bucket *find_bucket(raski_buckets *b, const char *id, size_t length, char *message,
                           size_t size) {
    if (b->last != NULL && b->last->id_length == length && memcmp(b->last->id, id, length) == 0)
        return b->last;
    uint64_t hash = hash_of(id, length);
    uint32_t at = b->slot_count > 0 ? *slot_of(b, hash, id, length) : 0;
    bucket *k = at > 0 ? b->items[at - 1] : add_bucket(b, hash, id, length, message, size);
    if (k != NULL) b->last = k;
    return k;
}

/* ---------------------------------------------------------------- which files are open */
static void take_out(raski_buckets *b, bucket *k) {
    if (!k->is_open) return;
    if (k->newer)
        k->newer->older = k->older;
    else
        b->newest = k->older;
    if (k->older)
        k->older->newer = k->newer;
    else
        b->oldest = k->newer;
    k->newer = k->older = NULL;
    k->is_open = false;
    b->open--;
}

static bool write_buffer(bucket *k, char *message, size_t size) {
    if (k->buffer.length == 0) return true;
    size_t length = k->buffer.length;
    k->buffer.length = 0;
    return raski_part_file_write(&k->part, k->buffer.data, length, message, size);
}

/* k is used: it is the newest, and the one that was not used for the longest time gives up its
 * descriptor and its buffer if there are too many. */
static bool use(raski_buckets *b, bucket *k, char *message, size_t size) {
    if (b->newest == k) return true;
    take_out(b, k);
    if (b->open >= b->options.open_max) {
        bucket *old = b->oldest;
        take_out(b, old);
        if (!write_buffer(old, message, size)) return false;
        free(old->buffer.data);
        old->buffer = (rask_text){0};
        raski_part_file_park(&old->part);
    }
    k->older = b->newest;
    if (b->newest)
        b->newest->newer = k;
    else
        b->oldest = k;
    b->newest = k;
    k->is_open = true;
    b->open++;
    return true;
}

/* ---------------------------------------------------------------- beginning a file */
static bool make_folders(const raski_buckets *b, const char *path, char *message, size_t size) {
    char copy[PATH_MAX];
    size_t length = strnlen(path, sizeof copy);
    if (length == sizeof copy) {
        (void)snprintf(message, size, "the path \"%.100s...\" is too long", path);
        return false;
    }
    memcpy(copy, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        copy[i] = '\0';
        if (mkdir(copy, 0777) == 0) {
            if (b->options.made_folder) b->options.made_folder(b->options.ctx, copy);
        } else if (errno != EEXIST) {
            (void)snprintf(message, size, "cannot make the folder \"%s\": %s", copy,
                           strerror(errno));
            return false;
        }
        copy[i] = path[i];
    }
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return true;
    (void)snprintf(message, size, "\"%s\" is a file, but part files need a folder there", path);
    return false;
}

/* The number in PREFIX-SUBTASK-NUMBER..., also of a hidden file. */
static bool number_of(const raski_buckets *b, const char *name, uint64_t *ret_number) {
    size_t prefix = strlen(b->options.prefix);
    if (name[0] == '.' && strstr(name, ".inprogress.") != NULL) name++;
    if (strncmp(name, b->options.prefix, prefix) != 0 || name[prefix] != '-') return false;
    char *end = NULL;
    long subtask = strtol(name + prefix + 1, &end, 10);
    if (subtask != b->options.subtask || *end != '-' || end[1] < '0' || end[1] > '9') return false;
    *ret_number = strtoull(end + 1, NULL, 10);
    return true;
}

/* Numbers go on behind what earlier jobs, attempts and checkpoints left. */
static bool count_files(const raski_buckets *b, bucket *k, char *message, size_t size) {
    DIR *dir = opendir(k->path);
    if (dir == NULL) {
        (void)snprintf(message, size, "cannot read the folder \"%s\": %s", k->path,
                       strerror(errno));
        return false;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        uint64_t number = 0;
        if (number_of(b, entry->d_name, &number) && number >= k->counter) k->counter = number + 1;
    }
    (void)closedir(dir);
    k->is_counted = true;
    return true;
}

static bool begin_file(raski_buckets *b, bucket *k, int64_t now_ms, char *message, size_t size) {
    char name[NAME_MAX + 1];
    if (!k->is_counted &&
        (!make_folders(b, k->path, message, size) || !count_files(b, k, message, size)))
        return false;
    int length = snprintf(name, sizeof name, "%s-%d-%llu%s", b->options.prefix, b->options.subtask,
                          (unsigned long long)k->counter, b->options.suffix);
    if (length >= (int)sizeof name) {
        (void)snprintf(message, size, "the names of part files in \"%s\" are too long", k->path);
        return false;
    }
    if (!use(b, k, message, size)) return false;
    if (!raski_part_file_create(k->path, name, now_ms, &k->part, message, size)) return false;
    k->counter++;
    if (b->options.head_length == 0) return true;
    return rask_text_append(&k->buffer, b->options.head, b->options.head_length) == RASK_OK ||
           no_memory(b, message, size);
}

/* ---------------------------------------------------------------- closing a file */
static bool close_file(raski_buckets *b, bucket *k, char *message, size_t size) {
    if (k->part.state == RASKI_PART_NONE) return true;
    if (!write_buffer(k, message, size) || !raski_part_file_finish(&k->part, message, size))
        return false;
    if (!list_add(&b->pending, k->part)) return no_memory(b, message, size);
    k->part = RASKI_PART_FILE_NONE;
    take_out(b, k);
    free(k->buffer.data);
    k->buffer = (rask_text){0};
    return true;
}

bool raski_buckets_write(raski_buckets *buckets, const char *id, size_t id_length,
                         const char *bytes, size_t length, int64_t now_ms, char *message,
                         size_t size) {
    raski_buckets *b = buckets;
    bucket *k = find_bucket(b, id, id_length, message, size);
    if (k == NULL) return false;
    if (k->part.size + (int64_t)k->buffer.length > b->options.policy.size_max &&
        !close_file(b, k, message, size))
        return false;
    if (k->part.state == RASKI_PART_NONE) {
        if (!begin_file(b, k, now_ms, message, size)) return false;
    } else if (!use(b, k, message, size)) {
        return false;
    }
    if (rask_text_append(&k->buffer, bytes, length) != RASK_OK) return no_memory(b, message, size);
    k->part.updated_ms = now_ms;
    return k->buffer.length < BUFFER_BYTES || write_buffer(k, message, size);
}

bool raski_buckets_advance_time(raski_buckets *buckets, int64_t now_ms, char *message,
                                size_t size) {
    const raski_rolling_policy *policy = &buckets->options.policy;
    for (size_t i = 0; i < buckets->count; i++) {
        bucket *k = buckets->items[i];
        if (k->part.state == RASKI_PART_NONE) continue;
        if (now_ms - k->part.created_ms < policy->rollover_ms &&
            now_ms - k->part.updated_ms < policy->inactivity_ms)
            continue;
        if (!close_file(buckets, k, message, size)) return false;
    }
    return true;
}

bool raski_buckets_take_pending(raski_buckets *buckets, raski_part_list *list, char *message,
                                size_t size) {
    raski_part_list *pending = &buckets->pending;
    for (size_t i = 0; i < pending->count; i++)
        if (!list_add(list, pending->items[i])) {
            /* those that were not moved stay */
            memmove(pending->items, pending->items + i,
                    (pending->count - i) * sizeof *pending->items);
            pending->count -= i;
            return no_memory(buckets, message, size);
        }
    pending->count = 0;
    return true;
}

bool raski_buckets_prepare(raski_buckets *buckets, bool end_of_input, raski_part_list *list,
                           char *message, size_t size) {
    raski_buckets *b = buckets;
    for (size_t i = 0; i < b->count; i++) {
        bucket *k = b->items[i];
        const int64_t bytes = k->part.size + (int64_t)k->buffer.length;
        if (!end_of_input && !b->options.policy.on_checkpoint &&
            bytes <= b->options.policy.size_max)
            continue;
        if (!close_file(b, k, message, size)) return false;
    }
    return raski_buckets_take_pending(b, list, message, size);
}

/* ---------------------------------------------------------------- snapshots */
bool raski_buckets_snapshot(raski_buckets *buckets, rask_text *text, char *message, size_t size) {
    char head[8];
    uint64_t count = 0;
    for (size_t i = 0; i < buckets->count; i++) {
        bucket *k = buckets->items[i];
        if (k->part.state == RASKI_PART_NONE) continue;
        if (!write_buffer(k, message, size) || !raski_part_file_sync(&k->part, message, size))
            return false;
        if (!k->is_open) raski_part_file_park(&k->part);
        count++;
    }
    (void)raski_put(raski_put(head, VERSION, 4), count, 4);
    rask_status status = rask_text_append(text, head, 8);
    for (size_t i = 0; i < buckets->count && status == RASK_OK; i++) {
        const bucket *k = buckets->items[i];
        if (k->part.state == RASKI_PART_NONE) continue;
        (void)raski_put(head, k->id_length, 4);
        status = rask_text_append(text, head, 4);
        if (status == RASK_OK) status = rask_text_append(text, k->id, k->id_length);
        if (status == RASK_OK) status = raski_part_file_encode(&k->part, text);
    }
    return status == RASK_OK || no_memory(buckets, message, size);
}

static bool restore_file(raski_buckets *b, const char *id, size_t id_length, raski_part_file *part,
                         char *message, size_t size) {
    bucket *k = find_bucket(b, id, id_length, message, size);
    bool ok = k != NULL;
    if (ok && k->part.state == RASKI_PART_NONE) {
        k->part = *part;
        raski_part_file_park(&k->part);
        return true;
    }
    ok = ok && raski_part_file_finish(part, message, size) &&
         (list_add(&b->pending, *part) || no_memory(b, message, size));
    if (!ok) raski_part_file_leave(part);
    return ok;
}

bool raski_buckets_restore(raski_buckets *buckets, const void *bytes, size_t length, char *message,
                           size_t size) {
    const unsigned char *p = bytes;
    const unsigned char *end = p + length;
    if (length >= 8 && raski_get(&p, 4) == VERSION) {
        uint64_t count = raski_get(&p, 4);
        for (; count > 0; count--) {
            if (end - p < 4) break;
            uint64_t id_length = raski_get(&p, 4);
            if (id_length > (uint64_t)(end - p)) break;
            const char *id = (const char *)p;
            p += id_length;
            raski_part_file part;
            if (!raski_part_file_recover(&p, end, &part, message, size) ||
                !restore_file(buckets, id, (size_t)id_length, &part, message, size))
                return false;
        }
        if (count == 0 && p == end) return true;
    }
    (void)snprintf(message, size,
                   "these are not the bytes of a file sink's state of version %d (\"%s\")", VERSION,
                   buckets->options.folder);
    return false;
}
