#include "world/net.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

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

static void prepare(CURL *curl, const char *url, bool direct, int timeout_ms, char *message) {
    const char *bundle = certificates(), *proxy = getenv("HTTP_PROXY");
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, drop);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 5L);
    if (bundle) curl_easy_setopt(curl, CURLOPT_CAINFO, bundle);
    /* libcurl knows http_proxy in lower case only, Python knows both */
    if (proxy && !getenv("http_proxy") && strncmp(url, "http:", 5) == 0)
        curl_easy_setopt(curl, CURLOPT_PROXY, proxy);
    if (!direct) return;
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
}

bool net_try(const char *url, bool direct, int timeout_ms, char problem[512]) {
    char message[CURL_ERROR_SIZE] = "";
    long status = 0;
    problem[0] = '\0';
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
        snprintf(problem, 512, "curl: (1) Unsupported protocol");
        return false;
    }
    CURL *curl = curl_easy_init();
    if (!curl) base_out_of_memory();
    prepare(curl, url, direct, timeout_ms, message);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_cleanup(curl);
    if (code != CURLE_OK)
        snprintf(problem, 512, "curl: (%d) %s", (int)code,
                 message[0] ? message : curl_easy_strerror(code));
    else if (status == 407 || status == 429 || status >= 500)
        snprintf(problem, 512, "curl: (22) The requested URL returned error: %ld", status);
    return !problem[0];
}
