/* SPDX-License-Identifier: MIT */
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "socket_bio.h"

enum { READ_BYTES = 64 << 10, WORD_MARGIN = 48 };

struct link {
    int fd;
    SSL *tls; /* NULL: plain */
    redisReader *reader;
    char *out; /* what is to be sent: from `at` to `size` */
    size_t at, size, capacity;
    short wanted; /* of TLS, which may have to read to write */
};

/* ---- words ---- */

void words_add(struct words *words, const void *data, size_t bytes)
{
    words->word[words->count] = data;
    words->bytes[words->count++] = bytes;
}

struct words words_of(const char *first, ...)
{
    struct words words = {.count = 0};
    va_list list;
    va_start(list, first);
    for (const char *word = first; word; word = va_arg(list, const char *))
        words_add(&words, word, strlen(word));
    va_end(list);
    return words;
}

static int reserve(struct link *link, size_t more)
{
    if (link->at == link->size)
        link->at = link->size = 0;
    if (link->capacity - link->size >= more)
        return 1;
    size_t capacity = 2 * link->capacity + more;
    char *grown = realloc(link->out, capacity);
    if (!grown)
        return 0;
    link->out = grown;
    link->capacity = capacity;
    return 1;
}

int link_put(struct link *link, const struct words *words)
{
    size_t need = WORD_MARGIN;
    for (size_t i = 0; i < words->count; i++)
        need += words->bytes[i] + WORD_MARGIN;
    if (!reserve(link, need))
        return 0;
    char *at = link->out + link->size;
    at += sprintf(at, "*%zu\r\n", words->count);
    for (size_t i = 0; i < words->count; i++) {
        at += sprintf(at, "$%zu\r\n", words->bytes[i]);
        if (words->bytes[i])
            memcpy(at, words->word[i], words->bytes[i]);
        at += words->bytes[i];
        *at++ = '\r';
        *at++ = '\n';
    }
    link->size = (size_t)(at - link->out);
    return 1;
}

/* ---- bytes ---- */

static int lost(char why[LINK_TEXT], const char *text)
{
    (void)snprintf(why, LINK_TEXT, "%s", text);
    return -1;
}

static const char *tls_reason(const struct link *link, int code)
{
    long verdict = SSL_get_verify_result(link->tls);
    unsigned long error = ERR_peek_last_error();
    if (verdict != X509_V_OK)
        return X509_verify_cert_error_string(verdict);
    if (code == SSL_ERROR_ZERO_RETURN || (code == SSL_ERROR_SYSCALL && !errno))
        return "the server closed the connection";
    const char *reason = error ? ERR_reason_error_string(error) : NULL;
    return reason ? reason : errno ? strerror(errno) : "TLS failed";
}

/* Bytes that went, 0 when it has to wait, -1 when the connection is lost. */
static ssize_t tls_result(struct link *link, int result, char why[LINK_TEXT])
{
    if (result > 0)
        return result;
    int code = SSL_get_error(link->tls, result);
    if (code == SSL_ERROR_WANT_WRITE)
        link->wanted |= POLLOUT;
    if (code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE)
        return 0;
    return lost(why, tls_reason(link, code));
}

static ssize_t plain_result(ssize_t result, char why[LINK_TEXT])
{
    if (result > 0)
        return result;
    if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return 0;
    return lost(why, result ? strerror(errno) : "the server closed the connection");
}

static ssize_t send_some(struct link *link, char why[LINK_TEXT])
{
    const char *data = link->out + link->at;
    size_t bytes = link->size - link->at;
    errno = 0;
    ERR_clear_error();
    if (link->tls)
        return tls_result(link, SSL_write(link->tls, data, bytes < (1 << 20) ? (int)bytes : 1 << 20), why);
    return plain_result(send(link->fd, data, bytes, MSG_NOSIGNAL), why);
}

static ssize_t receive_some(struct link *link, char *buffer, char why[LINK_TEXT])
{
    errno = 0;
    ERR_clear_error();
    if (link->tls)
        return tls_result(link, SSL_read(link->tls, buffer, READ_BYTES), why);
    return plain_result(recv(link->fd, buffer, READ_BYTES, 0), why);
}

int link_move(struct link *link, char why[LINK_TEXT])
{
    char buffer[READ_BYTES];
    ssize_t moved = 0;
    link->wanted = 0;
    while (link->at < link->size && (moved = send_some(link, why)) > 0)
        link->at += (size_t)moved;
    if (moved < 0)
        return -1;
    while ((moved = receive_some(link, buffer, why)) > 0)
        if (redisReaderFeed(link->reader, buffer, (size_t)moved) != REDIS_OK)
            return lost(why, "no memory for a reply");
    return moved < 0 ? -1 : 0;
}

int link_descriptor(const struct link *link)
{
    return link->fd;
}

short link_events(const struct link *link)
{
    return (short)(POLLIN | link->wanted | (link->at < link->size ? POLLOUT : 0));
}

int link_reply(struct link *link, redisReply **out)
{
    void *reply = NULL;
    if (redisReaderGetReply(link->reader, &reply) != REDIS_OK)
        return -1;
    *out = reply;
    return reply != NULL;
}

/* ---- waiting, where there is nothing else to do ---- */

static int wait_for(int fd, short events, double end)
{
    struct pollfd one = {fd, events, 0};
    double left = end - endpoint_now();
    return left > 0 && poll(&one, 1, (int)(left * 1000) + 1) > 0;
}

redisReply *link_ask(struct link *link, const struct words *words, double seconds, char why[LINK_TEXT])
{
    redisReply *reply = NULL;
    const double end = endpoint_now() + seconds;
    if (!link_put(link, words)) {
        (void)lost(why, "no memory for a command");
        return NULL;
    }
    for (;;) {
        if (link_move(link, why))
            return NULL;
        int came = link_reply(link, &reply);
        if (came > 0)
            return reply;
        if (came < 0 || !wait_for(link->fd, link_events(link), end)) {
            (void)lost(why, came < 0 ? "does not speak the language of Redis" : "does not answer");
            return NULL;
        }
    }
}

/* ---- connecting ---- */

static int connect_socket(int family, const struct sockaddr *to, socklen_t size, double end, char why[LINK_TEXT])
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), code = 0, on = 1;
    socklen_t code_size = sizeof code;
    if (fd < 0)
        return lost(why, strerror(errno));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, to, size))
        code = errno;
    if (code == EINPROGRESS && !wait_for(fd, POLLOUT, end))
        code = ETIMEDOUT;
    if (code == EINPROGRESS && getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &code_size))
        code = errno;
    if (!code)
        return fd;
    (void)close(fd);
    return lost(why, strerror(code));
}

static int connect_path(const char *path, double end, char why[LINK_TEXT])
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof to.sun_path)
        return lost(why, "the path of the socket is too long");
    strcpy(to.sun_path, path);
    return connect_socket(AF_UNIX, (const struct sockaddr *)&to, sizeof to, end, why);
}

static int connect_host(const struct address *address, double end, char why[LINK_TEXT])
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found, *one;
    int code = getaddrinfo(address->host, address->port, &hints, &found), fd = -1;
    if (code)
        return lost(why, gai_strerror(code));
    for (one = found; one && fd < 0; one = one->ai_next)
        fd = connect_socket(one->ai_family, one->ai_addr, one->ai_addrlen, end, why);
    freeaddrinfo(found);
    return fd;
}

static enum link_state start_tls(const struct endpoint *endpoint, struct link *link, double end, char why[LINK_TEXT])
{
    link->tls = SSL_new(endpoint->tls);
    BIO *bio = link->tls ? socket_bio(link->fd) : NULL;
    if (!bio)
        return (void)lost(why, "no memory for TLS"), LINK_TROUBLE;
    SSL_set_bio(link->tls, bio, bio);
    for (;;) {
        errno = 0;
        ERR_clear_error();
        int result = SSL_connect(link->tls);
        if (result == 1)
            return LINK_OPEN;
        link->wanted = 0;
        if (tls_result(link, result, why) < 0) {
            int refused = SSL_get_verify_result(link->tls) != X509_V_OK || ERR_peek_last_error();
            return refused ? LINK_REFUSED : LINK_TROUBLE;
        }
        if (!wait_for(link->fd, (short)(POLLIN | link->wanted), end))
            return (void)lost(why, "does not answer"), LINK_TROUBLE;
    }
}

/* Errors of a server that has to read its data first pass. */
static enum link_state log_in(const struct endpoint *endpoint, struct link *link, double end, char why[LINK_TEXT])
{
    if (!endpoint->password)
        return LINK_OPEN;
    struct words words = words_of("AUTH", endpoint->user ? endpoint->user : endpoint->password, NULL);
    if (endpoint->user)
        words_add(&words, endpoint->password, strlen(endpoint->password));
    redisReply *reply = link_ask(link, &words, end - endpoint_now(), why);
    if (!reply)
        return LINK_TROUBLE;
    enum link_state state = LINK_OPEN;
    if (reply->type == REDIS_REPLY_ERROR) {
        state = strncmp(reply->str, "LOADING", 7) ? LINK_REFUSED : LINK_TROUBLE;
        (void)lost(why, reply->str);
    }
    freeReplyObject(reply);
    explicit_bzero(link->out, link->capacity);
    return state;
}

static enum link_state start(const struct endpoint *endpoint, struct link *link, double end, char why[LINK_TEXT])
{
    link->reader = redisReaderCreate();
    if (!link->reader)
        return (void)lost(why, "no memory for a connection"), LINK_TROUBLE;
    link->reader->maxbuf = 0;
    enum link_state state = endpoint->tls ? start_tls(endpoint, link, end, why) : LINK_OPEN;
    return state == LINK_OPEN ? log_in(endpoint, link, end, why) : state;
}

enum link_state link_open(const struct endpoint *endpoint, const struct address *address, double seconds,
                          struct link **out, char why[LINK_TEXT])
{
    const double end = endpoint_now() + seconds;
    int fd = address->host[0] == '/' ? connect_path(address->host, end, why) : connect_host(address, end, why);
    if (fd < 0) {
        char reason[LINK_TEXT];
        memcpy(reason, why, sizeof reason);
        (void)snprintf(why, LINK_TEXT, "cannot be reached: %.*s", LINK_TEXT - 32, reason);
        return LINK_TROUBLE;
    }
    struct link *link = calloc(1, sizeof *link);
    if (!link) {
        (void)close(fd);
        return (void)lost(why, "no memory for a connection"), LINK_TROUBLE;
    }
    link->fd = fd;
    enum link_state state = start(endpoint, link, end, why);
    if (state != LINK_OPEN)
        link_close(link);
    else
        *out = link;
    return state;
}

void link_close(struct link *link)
{
    if (!link)
        return;
    SSL_free(link->tls);
    if (link->reader)
        redisReaderFree(link->reader);
    (void)close(link->fd);
    free(link->out);
    free(link);
}
