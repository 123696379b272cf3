/* SPDX-License-Identifier: MIT */
#include "cluster_options.h"

const struct option option_redis = {0, "redis", VALUE_TEXT, "HOST:PORT,...",
                                    "The servers: one or more of a cluster, from which the others are learned, or one "
                                    "that stands alone. A path is that "
                                    "of a socket."};
const struct option option_user = {0, "user", VALUE_TEXT, "NAME", "The user to log in as. Default: the default user."};
const struct option option_password_file = {
    0, "password-file", VALUE_FILE, "FILE",
    "The password, in the first line of a file. Otherwise it is taken from the variable " PASSWORD_VARIABLE
    ", when that is set."};
const struct option option_tls = {0, "tls", VALUE_NONE, NULL, "Speak TLS; needs --cacert."};
const struct option option_cacert = {0, "cacert", VALUE_FILE, "PEM",
                                     "The authority whose certificates are believed, and no other one."};
const struct option option_cert = {0, "cert", VALUE_FILE, "PEM", "Our own certificate, where servers ask for one."};
const struct option option_tls_key = {0, "tls-key", VALUE_FILE, "PEM", "The private key of --cert."};
const struct option option_wait = {
    0, "wait", VALUE_NUMBER, "SECONDS",
    "How long to go on trying while servers fail over, move parts or do not answer. Default: 30."};
const struct option option_replicas = {
    0, "replicas", VALUE_NUMBER, "K",
    "Count a change as made when K replicas have it. Default: one where a master has any; 0 waits for none."};
const struct option option_parts = {
    0, "parts", VALUE_NUMBER, "N",
    "How many parts to spread the filter over. Default: the smallest multiple of 12 that keeps parts below "
    "--part-bytes."};
const struct option option_part_bytes = {
    0, "part-bytes", VALUE_NUMBER, "B",
    "The most bytes of a part, which a server moves or saves as one. Default: 64 MiB; at most 256 MiB."};
