/* SPDX-License-Identifier: MIT */
#include "address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static int read_port(const char *text, size_t size, struct address *out)
{
    if (!size || size > 5 || strspn(text, "0123456789") < size)
        return 0;
    memcpy(out->port, text, size);
    out->port[size] = '\0';
    long port = strtol(out->port, NULL, 10);
    return port > 0 && port < 65536;
}

int address_read(const char *text, size_t size, struct address *out)
{
    *out = (struct address){.port = "6379"};
    if (!size || size >= MOST_HOST + sizeof out->port)
        return 0;
    const char *end = text + size, *host = text, *host_end = end, *port = NULL;
    if (*text == '[') {
        host = text + 1;
        host_end = memchr(host, ']', (size_t)(end - host));
        if (!host_end || (host_end + 1 < end && host_end[1] != ':'))
            return 0;
        port = host_end + 1 < end ? host_end + 2 : NULL;
    } else if (*text != '/') {
        const char *colon = memchr(text, ':', size);
        host_end = colon ? colon : end;
        port = colon ? colon + 1 : NULL;
    }
    if (host == host_end || host_end - host >= MOST_HOST || (port && !read_port(port, (size_t)(end - port), out)))
        return 0;
    memcpy(out->host, host, (size_t)(host_end - host));
    return 1;
}

int address_read_list(const char *list, struct address out[MOST_ADDRESSES], size_t *count)
{
    *count = 0;
    for (const char *at = list;; at++) {
        size_t size = strcspn(at, ",");
        if (*count == MOST_ADDRESSES)
            return print_error("--redis %s: has more than %d servers, of which one is enough", list, MOST_ADDRESSES);
        if (!size)
            return print_error("--redis %s: a server is missing beside a comma", list);
        if (!address_read(at, size, &out[*count]))
            return print_error("--redis %s: %.*s is not HOST:PORT, such as 127.0.0.1:6379 or [::1]:6379, and not the "
                               "path of a socket",
                               list, (int)size, at);
        ++*count;
        at += size;
        if (!*at)
            return EXIT_FINE;
    }
}

bool address_same(const struct address *a, const struct address *b)
{
    return !strcmp(a->host, b->host) && (a->host[0] == '/' || !strcmp(a->port, b->port));
}

struct address_text address_show(const struct address *address)
{
    struct address_text out;
    const char *format = address->host[0] == '/' ? "%s" : strchr(address->host, ':') ? "[%s]:%s" : "%s:%s";
    (void)snprintf(out.text, sizeof out.text, format, address->host, address->port);
    return out;
}
