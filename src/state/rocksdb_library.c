#include "state/rocksdb_library.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "platform/library.h"

/* The version that this was compiled against first: its functions are known to fit. */
static const char *const NAMES[] = {RASK_ROCKSDB_LIBRARY, "librocksdb.so"};

static rask_status find_functions(raski_library *library, raski_rocksdb_library *ret,
                                  raski_error *err) {
    raski_library_function function = NULL;
#define FIND(name) \
    RASKI_TRY(raski_library_find(library, "rocksdb_" #name, &function, err)); \
    memcpy(&ret->name, &function, sizeof function);
    RASKI_ROCKSDB_FUNCTIONS(FIND)
#undef FIND
    return RASK_OK;
}

rask_status raski_rocksdb_load(const raski_rocksdb_library **ret_library, raski_error *err) {
    static _Atomic(raski_rocksdb_library *) loaded; /* stays until the process ends */
    raski_rocksdb_library *functions = atomic_load_explicit(&loaded, memory_order_acquire);
    if (functions == NULL) {
        raski_library *library = NULL;
        raski_error why = {0};
        for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0] && library == NULL; i++)
            if (raski_library_load(NAMES[i], &library, &why) != RASK_OK) library = NULL;
        if (library == NULL)
            return RASKI_FAIL(err, RASK_E_NOT_FOUND, EXTERNAL,
                              "state.backend.type is rocksdb, but %s; install it (Debian: apt-get "
                              "install librocksdb-dev), or keep state in memory with "
                              "state.backend.type: hashmap",
                              why.message);
        functions = RASKI_NEW(raski_rocksdb_library);
        rask_status status = find_functions(library, functions, err);
        if (status != RASK_OK) {
            raski_free(functions);
            return status;
        }
        raski_rocksdb_library *other = NULL;
        if (!atomic_compare_exchange_strong_explicit(&loaded, &other, functions,
                                                     memory_order_acq_rel, memory_order_acquire)) {
            raski_free(functions);
            functions = other;
        }
    }
    *ret_library = functions;
    return RASK_OK;
}
