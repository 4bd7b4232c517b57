#include "base/library.h"

#include <dlfcn.h>

bool library_load(const char *const *names, const char *const *calls, void *pointers) {
    void *library = NULL;
    for (; *names && !library; names++) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    for (char *to = pointers; *calls; calls++, to += sizeof(void *)) {
        void *symbol = dlsym(library, *calls);
        if (!symbol) return false;
        memcpy(to, &symbol, sizeof symbol); /* a function's address as data: POSIX has it so */
    }
    return true;
}
