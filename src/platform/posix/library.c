#include "platform/library.h"

#include <dlfcn.h>
#include <string.h>

rask_status raski_library_load(const char *name, raski_library **ret_library, raski_error *err) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return RASKI_FAIL(err, RASK_E_NOT_FOUND, EXTERNAL, "cannot load %s: %s", name, dlerror());
    *ret_library = handle;
    return RASK_OK;
}

rask_status raski_library_find(raski_library *library, const char *name,
                               raski_library_function *ret_function, raski_error *err) {
    void *address = dlsym(library, name);
    if (address == NULL) return RASKI_FAIL(err, RASK_E_NOT_FOUND, EXTERNAL, "%s", dlerror());
    memcpy(ret_function, &address, sizeof address); /* POSIX: data and code pointers are alike */
    return RASK_OK;
}
