/* Trials to reach other machines, told as getent, nc and curl tell them. */
#include "base/file.h"
#include "facts/pick.h"
#include "world/net.h"
#include "world/probe_calls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CONNECT_MS = 2000, NET_MS = 4000 };

/* ---- the master ------------------------------------------------------------------------- */

static bool is_own_address(const struct sockaddr_in *wanted) {
    struct ifaddrs *all;
    bool own = (ntohl(wanted->sin_addr.s_addr) >> 24) == 127;
    if (getifaddrs(&all) != 0) return own;
    for (struct ifaddrs *at = all; at && !own; at = at->ifa_next) {
        const struct sockaddr_in *address = (const void *)at->ifa_addr;
        own = address && address->sin_family == AF_INET &&
              address->sin_addr.s_addr == wanted->sin_addr.s_addr;
    }
    freeifaddrs(all);
    return own;
}

/* Rank 0 will have to listen there. */
static void try_bind(struct buf *out, const struct sockaddr_in *where, int port) {
    struct sockaddr_in any = *where;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    any.sin_addr.s_addr = htonl(INADDR_ANY);
    buf_printf(out, "$ bind %d\n", port);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* as TCPStore does */
    if (bind(fd, (const void *)&any, sizeof any) != 0 || listen(fd, 1) != 0)
        buf_printf(out, "bind: %s\n", strerror(errno));
    close(fd);
}

static int connect_error(const struct sockaddr_in *where) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), error = 0;
    socklen_t size = sizeof error;
    if (connect(fd, (const void *)where, sizeof *where) != 0) {
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        error = errno;
        if (error == EINPROGRESS)
            error = poll(&wait, 1, CONNECT_MS) == 0                            ? ETIMEDOUT
                    : getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error
                                                                               : errno;
    }
    close(fd);
    return error;
}

static void try_connect(struct buf *out, const char *text, const struct sockaddr_in *where,
                        int port) {
    buf_printf(out, "$ nc -vz %s %d\n", text, port);
    int error = connect_error(where);
    if (error)
        buf_printf(out, "nc: connect to %s port %d (tcp) failed: %s\n", text, port,
                   strerror(error));
    else
        buf_printf(out, "Connection to %s %d port [tcp/*] succeeded!\n", text, port);
}

void call_master(struct buf *out, const char *folder) {
    const char *name = getenv("MASTER_ADDR"), *port_text = getenv("MASTER_PORT");
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
    char text[INET_ADDRSTRLEN];
    int port = 0;
    (void)folder;
    if (!name || !*name) return;
    buf_printf(out, "$ getent hosts %s\n", name);
    int error = getaddrinfo(name, NULL, &hints, &found);
    if (error != 0) {
        buf_printf(out, "getent: %s\n", gai_strerror(error));
        return;
    }
    struct sockaddr_in where = *(const struct sockaddr_in *)(const void *)found->ai_addr;
    inet_ntop(AF_INET, &where.sin_addr, text, sizeof text);
    buf_printf(out, "%s %s\n", text, name);
    freeaddrinfo(found);
    if (!port_text || !pick_int(str_of(port_text), &port) || port < 1 || port > 65535) return;
    where.sin_port = htons((uint16_t)port);
    if (is_own_address(&where))
        try_bind(out, &where, port);
    else
        try_connect(out, text, &where, port);
}

/* ---- hosts, sites ----------------------------------------------------------------------- */

int arguments_hosts(const struct probe_options *options, struct arena *arena, struct str *out,
                    int most) {
    int n = 0;
    for (int i = 0; i < options->n_hosts && n < most; i++)
        if (options->hosts[i][0] != '-') out[n++] = arena_str(arena, str_of(options->hosts[i]));
    return n;
}

static const char *first_set(const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return value;
    }
    return NULL;
}

/* index-url of pip's configuration, where the environment names none. */
static struct str configured_index(struct arena *arena) {
    const char *home = getenv("HOME"), *file_name = getenv("PIP_CONFIG_FILE");
    struct str paths[] = {
        str_of(file_name), arena_printf(arena, "%s/.config/pip/pip.conf", home ? home : ""),
        arena_printf(arena, "%s/.pip/pip.conf", home ? home : ""), STR("/etc/pip.conf")};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        char room[8192];
        struct str rest = {0}, line, name, value;
        if (paths[i].n) rest = file_head(paths[i].p, room, sizeof room);
        while (str_line(&rest, &line))
            if (pick_pair(line, '=', &name, &value) && str_eq(name, STR("index-url")))
                return arena_str(arena, value);
    }
    return (struct str){0};
}

int arguments_net(const struct probe_options *options, struct arena *arena, struct str *out,
                  int most) {
    static const char *const hubs[] = {"HF_ENDPOINT"};
    static const char *const indexes[] = {"PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"};
    static const char *const proxies[] = {"https_proxy", "HTTPS_PROXY", "http_proxy",
                                          "HTTP_PROXY",  "all_proxy",   "ALL_PROXY"};
    static const char *const trackers[] = {"WANDB_BASE_URL"};
    const char *hub = first_set(hubs, COUNT_OF(hubs)),
               *proxy = first_set(proxies, COUNT_OF(proxies)),
               *tracker = first_set(trackers, COUNT_OF(trackers));
    struct str index = str_of(first_set(indexes, COUNT_OF(indexes)));
    int n = 0;
    (void)options, (void)most;
    if (!index.n) index = configured_index(arena);
    out[n++] = arena_printf(arena, "hub %s", hub ? hub : "https://huggingface.co");
    if (index.n) out[n++] = arena_printf(arena, "index " STR_FMT, STR_ARG(index));
    if (tracker) out[n++] = arena_printf(arena, "tracker %s", tracker);
    if (proxy)
        out[n++] = arena_printf(arena, "proxy %s%s", strstr(proxy, "://") ? "" : "http://", proxy);
    return n;
}

/* Without user and password. */
static struct str shown_url(struct arena *arena, struct str url) {
    struct str rest, behind;
    if (!pick_after(url, STR("://"), &rest)) return url;
    size_t scheme = (size_t)(rest.p - url.p);
    struct str authority = pick_until(rest, STR("/"));
    while (pick_after(authority, STR("@"), &behind)) authority = behind; /* the last one counts */
    size_t at = (size_t)(authority.p - url.p);
    return arena_printf(arena, STR_FMT STR_FMT, STR_ARG(str_sub(url, 0, scheme)),
                        STR_ARG(str_sub(url, at, url.n)));
}

void call_net(struct buf *out, const char *target) {
    struct arena arena = {0};
    struct str url, name = pick_word(str_of(target), &url);
    char problem[512];
    buf_printf(out, "$ curl -sSfI -m 4 " STR_FMT " # " STR_FMT "\n",
               STR_ARG(shown_url(&arena, url)), STR_ARG(name));
    bool direct = str_eq(name, STR("proxy"));
    if (!net_try(arena_cstr(&arena, url), direct, NET_MS, problem))
        buf_printf(out, "%s\n", problem);
    arena_release(&arena);
}
