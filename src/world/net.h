/* net.h - one request to a site, for `probe --net` alone.  libcurl lives here.
 *
 * Goes the way that the job's own downloads would go: through the proxies and with the certificates
 * that the environment names.  Nothing is downloaded. */
#ifndef FAULTLINE_NET_H
#define FAULTLINE_NET_H

#include "base/base.h"

/* Asks the site for its head; `direct`: only connects, past any proxy.  False with `problem` filled
 * as curl words it ("curl: (7) Failed to connect to ..."); a site that answers is there, whatever
 * it thinks of the request, unless it is broken (5xx), too busy (429) or a proxy wants a login
 * (407). */
bool net_try(const char *url, bool direct, int timeout_ms, char problem[512]);

#endif
