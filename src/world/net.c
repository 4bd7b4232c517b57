#include "world/net.h"
#include "base/library.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

/* libcurl brings forty libraries along, which would cost every start of the program more than a
 * diagnosis: it is loaded when something is asked of the network. */
struct curl_calls { /* in the order of load_curl */
    CURL *(*init)(void);
    CURLcode (*setopt)(CURL *curl, CURLoption option, ...);
    CURLcode (*perform)(CURL *curl);
    CURLcode (*getinfo)(CURL *curl, CURLINFO info, ...);
    void (*cleanup)(CURL *curl);
    const char *(*strerror)(CURLcode code);
};

static bool load_curl(struct curl_calls *calls) {
    static const char *const libraries[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so",
                                            NULL};
    static const char *const names[] = {"curl_easy_init",
                                        "curl_easy_setopt",
                                        "curl_easy_perform",
                                        "curl_easy_getinfo",
                                        "curl_easy_cleanup",
                                        "curl_easy_strerror",
                                        NULL};
    return library_load(libraries, names, calls);
}

static size_t drop(char *bytes, size_t size, size_t n, void *ctx) {
    (void)bytes, (void)ctx;
    return size * n;
}

/* The bundle that Python's requests would take. */
static const char *certificates(void) {
    static const char *const names[] = {"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *path = getenv(names[i]);
        if (path && *path) return path;
    }
    return NULL;
}

static void prepare(const struct curl_calls *calls, CURL *curl, const char *url, bool direct,
                    int timeout_ms, char *message) {
    const char *bundle = certificates(), *proxy = getenv("HTTP_PROXY");
    calls->setopt(curl, CURLOPT_URL, url);
    calls->setopt(curl, CURLOPT_NOBODY, 1L);
    calls->setopt(curl, CURLOPT_NOSIGNAL, 1L);
    calls->setopt(curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    calls->setopt(curl, CURLOPT_ERRORBUFFER, message);
    calls->setopt(curl, CURLOPT_WRITEFUNCTION, drop);
    calls->setopt(curl, CURLOPT_HEADERFUNCTION, drop);
    calls->setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    calls->setopt(curl, CURLOPT_MAXREDIRS, 5L);
    if (bundle) calls->setopt(curl, CURLOPT_CAINFO, bundle);
    /* libcurl knows http_proxy in lower case only, Python knows both */
    if (proxy && !getenv("http_proxy") && strncmp(url, "http:", 5) == 0)
        calls->setopt(curl, CURLOPT_PROXY, proxy);
    if (!direct) return;
    calls->setopt(curl, CURLOPT_PROXY, "");
    calls->setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
}

bool net_try(const char *url, bool direct, int timeout_ms, char problem[512]) {
    char message[CURL_ERROR_SIZE] = "";
    long status = 0;
    problem[0] = '\0';
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
        snprintf(problem, 512, "curl: (1) Unsupported protocol");
        return false;
    }
    struct curl_calls calls;
    if (!load_curl(&calls)) {
        snprintf(problem, 512, "curl: (2) libcurl cannot be loaded");
        return false;
    }
    CURL *curl = calls.init();
    if (!curl) base_out_of_memory();
    prepare(&calls, curl, url, direct, timeout_ms, message);
    CURLcode code = calls.perform(curl);
    calls.getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    calls.cleanup(curl);
    if (code != CURLE_OK)
        snprintf(problem, 512, "curl: (%d) %s", (int)code,
                 message[0] ? message : calls.strerror(code));
    else if (status == 407 || status == 429 || status >= 500)
        snprintf(problem, 512, "curl: (22) The requested URL returned error: %ld", status);
    return !problem[0];
}
