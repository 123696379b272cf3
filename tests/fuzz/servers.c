/* SPDX-License-Identifier: MIT */
#include "servers.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "slots.h"

enum { FIRST = 1 << 20, MOST_OPEN = 64, MOST_REPLY = 1 << 15, MOST_DEPTH = 6, MANY_PARTS = 64 };

static const char *const words[] = {"master",
                                    "slave",
                                    "ultrafilter-cluster",
                                    "1",
                                    "spec",
                                    "parts",
                                    "2",
                                    "key_id",
                                    "normal",
                                    "0",
                                    "items",
                                    "capacity",
                                    "memory",
                                    "",
                                    "127.0.0.1",
                                    "?",
                                    "OK",
                                    "ERR not found",
                                    "ERR unknown command",
                                    "ERR item exists",
                                    "ERR pieces come in their order",
                                    "ERR there is no such dump any more",
                                    "ERR This instance has cluster support disabled",
                                    "WRONGTYPE",
                                    "NOAUTH",
                                    "LOADING",
                                    "CLUSTERDOWN",
                                    "TRYAGAIN",
                                    "READONLY",
                                    "MOVED 1 127.0.0.1:7001",
                                    "ASK 1 :7002"};

enum { WORDS = sizeof words / sizeof words[0] };

struct connection {
    char *pending; /* owned */
    size_t at, size;
    int gone;
};

static struct {
    struct tape replies;
    size_t piece, opened;
    double now;
    struct connection open[MOST_OPEN];
} servers;

void servers_start(const struct tape *replies, size_t piece)
{
    for (size_t i = 0; i < servers.opened; i++) {
        free(servers.open[i].pending);
        servers.open[i] = (struct connection){.pending = NULL};
    }
    servers.replies = *replies;
    servers.piece = piece;
    servers.opened = 0;
    servers.now = 1;
}

/* ---- replies ---- */

struct text {
    char data[MOST_REPLY];
    size_t size;
};

static void add(struct text *text, const void *data, size_t bytes)
{
    if (bytes && bytes <= sizeof text->data - text->size) {
        memcpy(text->data + text->size, data, bytes);
        text->size += bytes;
    }
}

static void add_number(struct text *text, char type, long long number)
{
    char line[32];
    add(text, line, (size_t)snprintf(line, sizeof line, "%c%lld\r\n", type, number));
}

static void add_string(struct text *text, const void *data, size_t bytes)
{
    add_number(text, '$', (long long)bytes);
    add(text, data, bytes);
    add(text, "\r\n", 2);
}

/* To the end of the line, which a text of one line cannot have. */
static void add_line(struct text *text, char type, const void *data, size_t bytes)
{
    const char *end = bytes ? memchr(data, '\r', bytes) : NULL;
    add(text, &type, 1);
    add(text, data, end ? (size_t)(end - (const char *)data) : bytes);
    add(text, "\r\n", 2);
}

static void add_reply(struct tape *tape, struct text *text, unsigned depth)
{
    const unsigned tag = tape_byte(tape);
    const size_t size = tag >> 3 == 31 ? 31 + tape_byte(tape) : tag >> 3;
    const char *word = words[size % WORDS];
    const uint8_t *data = NULL;
    switch (tag & 7) {
    case 3:
        if (size > 8)
            add(text, "$-1\r\n", 5);
        else
            add_number(text, ':', (long long)tape_number(tape, (unsigned)size));
        return;
    case 4:
        add_number(text, '*', (long long)size);
        for (size_t i = 0; i < size && depth < MOST_DEPTH && tape->left; i++)
            add_reply(tape, text, depth + 1);
        return;
    case 5:
        add_string(text, word, strlen(word));
        return;
    case 6:
        add_line(text, '-', word, strlen(word));
        return;
    default:
        break;
    }
    const size_t bytes = tape_take(tape, size, &data);
    if ((tag & 7) == 0)
        add_string(text, data, bytes);
    else if ((tag & 7) == 7)
        add(text, data, bytes);
    else
        add_line(text, (tag & 7) == 1 ? '-' : '+', data, bytes);
}

static void answer(struct connection *connection)
{
    static struct text text;
    if (!servers.replies.left) {
        connection->gone = 1;
        return;
    }
    text.size = 0;
    add_reply(&servers.replies, &text, 0);
    char *grown = realloc(connection->pending, connection->size + text.size + 1);
    fuzz_check(grown);
    memcpy(grown + connection->size, text.data, text.size);
    connection->pending = grown;
    connection->size += text.size;
}

/* ---- sockets ---- */

int __wrap_socket(int family, int type, int protocol);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t size);
ssize_t __wrap_send(int fd, const void *data, size_t bytes, int flags);
ssize_t __wrap_recv(int fd, void *out, size_t bytes, int flags);
int __wrap_poll(struct pollfd *wanted, nfds_t count, int timeout);
int __wrap___poll_chk(struct pollfd *wanted, nfds_t count, int timeout, size_t size);
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **out);
void __wrap_freeaddrinfo(struct addrinfo *list);
double __wrap_endpoint_now(void);
struct part_key __real_part_key(const char *name, unsigned part, unsigned parts);
struct part_key __wrap_part_key(const char *name, unsigned part, unsigned parts);

int __wrap_socket(int family, int type, int protocol)
{
    (void)family, (void)type, (void)protocol;
    if (servers.opened < MOST_OPEN)
        return FIRST + (int)servers.opened++;
    errno = EMFILE;
    return -1;
}

/* No server may send us to a socket of this machine: only the user names those. */
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t size)
{
    (void)fd, (void)size;
    fuzz_check(to->sa_family != AF_UNIX || !strcmp(((const struct sockaddr_un *)to)->sun_path, SERVERS_PATH));
    errno = ECONNREFUSED;
    return servers.replies.left ? 0 : -1;
}

/* A whole number behind a letter, and the end of its line. */
static const char *line(const char *at, const char *end, char type, size_t *out)
{
    fuzz_check(at < end && *at == type);
    *out = 0;
    for (at++; at < end && *at != '\r'; at++)
        *out = 10 * *out + (size_t)(*at - '0');
    fuzz_check(end - at >= 2);
    return at + 2;
}

/* Commands are whole, and arrays of strings. */
ssize_t __wrap_send(int fd, const void *data, size_t bytes, int flags)
{
    const char *at = data, *end = at + bytes;
    (void)flags;
    while (at < end) {
        size_t count, size;
        at = line(at, end, '*', &count);
        for (; count; count--) {
            at = line(at, end, '$', &size);
            fuzz_check((size_t)(end - at) >= size + 2);
            at += size + 2;
        }
        answer(&servers.open[fd - FIRST]);
    }
    return (ssize_t)bytes;
}

ssize_t __wrap_recv(int fd, void *out, size_t bytes, int flags)
{
    struct connection *connection = &servers.open[fd - FIRST];
    size_t step = connection->size - connection->at;
    (void)flags;
    if (!step && connection->gone)
        return 0;
    if (!step) {
        errno = EAGAIN;
        return -1;
    }
    if (servers.piece && step > servers.piece)
        step = servers.piece;
    step = step < bytes ? step : bytes;
    memcpy(out, connection->pending + connection->at, step);
    connection->at += step;
    return (ssize_t)step;
}

int __wrap_poll(struct pollfd *wanted, nfds_t count, int timeout)
{
    int ready = 0;
    for (nfds_t i = 0; i < count; i++) {
        const struct connection *connection = &servers.open[wanted[i].fd - FIRST];
        const int has = connection->gone || connection->at < connection->size;
        wanted[i].revents = (short)(wanted[i].events & (POLLOUT | (has ? POLLIN : 0)));
        ready += wanted[i].revents != 0;
    }
    if (!ready)
        servers.now += timeout * 1e-3;
    return ready;
}

int __wrap___poll_chk(struct pollfd *wanted, nfds_t count, int timeout, size_t size)
{
    fuzz_check(count <= size / sizeof *wanted);
    return __wrap_poll(wanted, count, timeout);
}

int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **out)
{
    static struct sockaddr_in to = {.sin_family = AF_INET};
    static struct addrinfo found = {.ai_family = AF_INET, .ai_addr = (struct sockaddr *)&to, .ai_addrlen = sizeof to};
    (void)hints;
    *out = &found;
    return *host && *port ? 0 : EAI_NONAME;
}

void __wrap_freeaddrinfo(struct addrinfo *list)
{
    (void)list;
}

double __wrap_endpoint_now(void)
{
    return servers.now += 1e-4;
}

/* With N parts it takes N steps for each: all of them would take longer than all else. */
struct part_key __wrap_part_key(const char *name, unsigned part, unsigned parts)
{
    return parts > MANY_PARTS ? __real_part_key(name, part % MANY_PARTS, MANY_PARTS)
                              : __real_part_key(name, part, parts);
}
