/* vec.h - growing arrays: struct { T *items; size_t count, capacity; }.
 *   RASKI_VEC(int) numbers = {0};  raski_vec_push(&numbers, 7);  raski_vec_free(&numbers); */
#ifndef RASKI_BASE_VEC_H
#define RASKI_BASE_VEC_H
#include <stddef.h>

#include "base/alloc.h"

#define RASKI_VEC(T) \
    struct { \
        T *items; \
        size_t count, capacity; \
    }
#define raski_vec_reserve(vec, wanted) \
    do { \
        size_t raski_vec_wanted_ = (wanted); \
        if (raski_vec_wanted_ > (vec)->capacity) { \
            size_t raski_vec_cap_ = (vec)->capacity ? (vec)->capacity * 2 : 2; \
            if (raski_vec_cap_ < raski_vec_wanted_) raski_vec_cap_ = raski_vec_wanted_; \
            (vec)->items = raski_realloc((vec)->items, raski_vec_cap_, sizeof *(vec)->items); \
            (vec)->capacity = raski_vec_cap_; \
        } \
    } while (0)
#define raski_vec_push(vec, ...) \
    do { \
        raski_vec_reserve((vec), (vec)->count + 1); \
        (vec)->items[(vec)->count++] = (__VA_ARGS__); \
    } while (0)
#define raski_vec_free(vec) \
    do { \
        raski_free((vec)->items); \
        (vec)->items = NULL; \
        (vec)->count = (vec)->capacity = 0; \
    } while (0)
#endif
