/* Runs a fuzz target without libFuzzer: on every file of a corpus folder, and on mutations of each
 * that are the same in every run. usage: fuzz-NAME FOLDER [mutations per file] */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 20, GROWTH_MAX = 64 };

static uint64_t random_state = 1;

/* xorshift64*: small, and equal everywhere. */
static uint64_t next_random(uint64_t below) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (random_state * 2685821657736338717u >> 32) % below;
}

/* Changes a few bytes, drops or doubles a part; returns the new size. bytes has room for
 * GROWTH_MAX more. */
static size_t mutate(uint8_t *bytes, size_t size) {
    static const uint8_t likely[] = {0,   0xff, '\n', ' ', ':', '#', '"', '\'', '[', ']',
                                     '{', '}',  '-',  '*', '&', '!', '%', ',',  '0', 0x80};
    uint64_t changes = 1 + next_random(4);
    for (uint64_t i = 0; i < changes && size > 0; i++) {
        size_t at = (size_t)next_random(size);
        size_t part = 1 + (size_t)next_random(size - at < 16 ? size - at : 16);
        switch (next_random(4)) {
            case 0:
                bytes[at] = likely[next_random(sizeof likely)];
                break;
            case 1:
                bytes[at] ^= (uint8_t)(1u << next_random(8));
                break;
            case 2:
                memmove(bytes + at, bytes + at + part, size - at - part);
                size -= part;
                break;
            default:
                memmove(bytes + at + part, bytes + at, size - at);
                size += part;
                break;
        }
    }
    return size;
}

/* A copy of exactly that size, so that sanitizers see a read past the end. */
static void run_on(const uint8_t *bytes, size_t size) {
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL) abort();
    memcpy(exact, bytes, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static int replay(const char *path, int mutations) {
    static uint8_t original[INPUT_MAX];
    static uint8_t changed[INPUT_MAX + GROWTH_MAX];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        (void)fprintf(stderr, "cannot open %s\n", path);
        return 1;
    }
    size_t size = fread(original, 1, sizeof original, file);
    (void)fclose(file);
    run_on(original, size);
    for (int i = 0; i < mutations; i++) {
        memcpy(changed, original, size);
        run_on(changed, mutate(changed, size));
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        (void)fprintf(stderr, "usage: %s FOLDER [MUTATIONS]\n", argv[0]);
        return 2;
    }
    int mutations = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 200;
    struct dirent **entries;
    int count = scandir(argv[1], &entries, NULL, alphasort);
    int failed = 0;
    int files = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat status;
        (void)snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
            failed |= replay(path, mutations);
            files++;
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    if (files == 0) {
        (void)fprintf(stderr, "no corpus in %s\n", argv[1]);
        return 1;
    }
    (void)printf("%d files, %d mutations each\n", files, mutations);
    return failed;
}
