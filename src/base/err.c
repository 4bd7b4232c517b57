#include "base/base.h"

#include <stdio.h>

static void err_copy(char *to, size_t size, const char *from) {
    snprintf(to, size, "%s", from ? from : "");
}

bool err_set(struct err *err, const char *detail, const char *hint, const char *what, ...) {
    if (!err) return false;
    va_list ap;
    va_start(ap, what);
    vsnprintf(err->what, sizeof err->what, what, ap);
    va_end(ap);
    err_copy(err->detail, sizeof err->detail, detail);
    err_copy(err->hint, sizeof err->hint, hint);
    return false;
}
