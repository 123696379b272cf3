/* SPDX-License-Identifier: MIT */
#include "endpoint.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster_options.h"
#include "message.h"
#include "numbers.h"

enum { MOST_WAIT = 86400, MOST_PASSWORD = 4096, MOST_REPLICAS = 64 };

double endpoint_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- who we are ---- */

static int read_password_file(const char *path, char **out)
{
    char line[MOST_PASSWORD];
    FILE *file = fopen(path, "re");
    if (!file)
        return print_error("--password-file %s: %s", path, strerror(errno));
    setvbuf(file, NULL, _IONBF, 0); /* no copy stays behind */
    char *got = fgets(line, sizeof line, file);
    (void)fclose(file);
    if (got)
        line[strcspn(line, "\r\n")] = '\0';
    *out = got && *line ? strdup(line) : NULL;
    explicit_bzero(line, sizeof line);
    return *out ? EXIT_FINE : print_error("--password-file %s: has no password in its first line", path);
}

static int read_password(const struct args *args, struct endpoint *out)
{
    const char *path = args_value(args, &option_password_file), *variable = getenv(PASSWORD_VARIABLE);
    out->user = args_value(args, &option_user);
    if (path && read_password_file(path, &out->password))
        return EXIT_ERROR;
    if (!path && variable && *variable)
        out->password = strdup(variable);
    return out->user && !out->password ? print_error("--user %s needs a password: give --password-file, or set %s",
                                                     out->user, PASSWORD_VARIABLE)
                                       : EXIT_FINE;
}

/* ---- TLS ---- */

static int tls_error(const char *option, const char *path, const char *what)
{
    char text[160] = "";
    unsigned long code = ERR_peek_last_error();
    if (code)
        ERR_error_string_n(code, text, sizeof text);
    ERR_clear_error();
    return print_error("%s %s: %s%s%s", option, path, what, *text ? ": " : "", text);
}

/* Its key, for a server that asks who we are. */
static int load_certificate(const struct args *args, SSL_CTX *tls)
{
    const char *cert = args_value(args, &option_cert), *key = args_value(args, &option_tls_key);
    if (!cert && !key)
        return EXIT_FINE;
    if (!cert || !key)
        return print_error("--cert and --tls-key belong together: one is a certificate, the other its key");
    if (SSL_CTX_use_certificate_chain_file(tls, cert) != 1)
        return tls_error("--cert", cert, "is not a certificate that can be read");
    if (SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(tls) != 1)
        return tls_error("--tls-key", key, "is not the key of --cert");
    return EXIT_FINE;
}

static int open_tls(const struct args *args, struct endpoint *out)
{
    const char *authority = args_value(args, &option_cacert);
    const struct option *const parts[] = {&option_cacert, &option_cert, &option_tls_key};
    for (size_t i = 0; !args_has(args, &option_tls) && i < sizeof parts / sizeof parts[0]; i++)
        if (args_has(args, parts[i]))
            return print_error("%s is for --tls, which was not given", args_label(args, parts[i]).text);
    if (!args_has(args, &option_tls))
        return EXIT_FINE;
    if (!authority)
        return print_error("--tls needs --cacert, the authority that signed the servers' certificates");
    out->tls = SSL_CTX_new(TLS_client_method());
    if (!out->tls || SSL_CTX_set_min_proto_version(out->tls, TLS1_2_VERSION) != 1)
        return print_error("no memory for TLS");
    if (SSL_CTX_load_verify_locations(out->tls, authority, NULL) != 1)
        return tls_error("--cacert", authority, "is not a certificate that can be read");
    SSL_CTX_set_verify(out->tls, SSL_VERIFY_PEER, NULL);
    (void)SSL_CTX_set_mode(out->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return load_certificate(args, out->tls);
}

/* ---- all of it ---- */

static int read_patience(const struct args *args, struct endpoint *out)
{
    uint64_t wait = 30, replicas = 1;
    if (args_whole(args, &option_wait, 0, MOST_WAIT, &wait) ||
        args_whole(args, &option_replicas, 0, MOST_REPLICAS, &replicas))
        return EXIT_ERROR;
    out->wait = (double)wait;
    out->replicas = args_has(args, &option_replicas) ? (int)replicas : -1;
    return EXIT_FINE;
}

int endpoint_open(const struct args *args, struct endpoint *out)
{
    *out = (struct endpoint){.count = 0};
    if (args_require(args, &option_redis))
        return EXIT_ERROR;
    int status = address_read_list(args_value(args, &option_redis), out->address, &out->count) ||
                 read_patience(args, out) || read_password(args, out) || open_tls(args, out);
    if (status)
        endpoint_close(out);
    return status ? EXIT_ERROR : EXIT_FINE;
}

void endpoint_close(struct endpoint *endpoint)
{
    SSL_CTX_free(endpoint->tls);
    if (endpoint->password)
        explicit_bzero(endpoint->password, strlen(endpoint->password));
    free(endpoint->password);
    *endpoint = (struct endpoint){.count = 0};
}
