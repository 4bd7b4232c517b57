#include "base/library.h"

#include <dlfcn.h>

void *library_open(const char *const *names, int n) {
    void *library = NULL;
    for (int i = 0; i < n && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

bool library_call(void *library, const char *name, void *call) {
    void *symbol = library ? dlsym(library, name) : NULL;
    memcpy(call, &symbol, sizeof symbol); /* a function's address as data: POSIX has it so */
    return symbol != NULL;
}
