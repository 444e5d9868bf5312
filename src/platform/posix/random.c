#include "platform/random.h"

#include <stdint.h>
#include <sys/random.h>
#include <unistd.h>

#include "platform/clock.h"

void raski_random_bytes(void *ret_bytes, size_t size) {
    if (getrandom(ret_bytes, size, 0) == (ssize_t)size) return;
    uint64_t seed = (uint64_t)raski_now_ns() ^ (uint64_t)raski_wall_ms() << 20 ^ (uint64_t)getpid();
    for (size_t i = 0; i < size; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        ((unsigned char *)ret_bytes)[i] = (unsigned char)(seed >> 56);
    }
}
