/* little_endian.h - numbers in the bytes of splits, positions and files that wait to be committed:
 * the same on every machine. Threads: plain functions. */
#ifndef RASKI_CONNECTORS_LITTLE_ENDIAN_H
#define RASKI_CONNECTORS_LITTLE_ENDIAN_H
#include <stdint.h>

/* Writes that many bytes (1 .. 8); where the next ones go. */
static inline char *raski_put(char *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) *to++ = (char)(value >> (8 * i));
    return to;
}

/* Reads that many bytes and moves *from behind them. */
static inline uint64_t raski_get(const unsigned char **from, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t) * (*from)++ << (8 * i);
    return value;
}
#endif
