/* SPDX-License-Identifier: MIT */
/* The files that there are before any scene, the command lines, and whether there is one of every command. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "figure.h"
#include "scene.h"

const char scene_preparation[] =
    "seq 200 >keys; seq 1001 1040 >more; seq 2001 2200 >others\n"
    "awk 'BEGIN { for (i = 0; i < 400; i++) print \"a\" i * 7919 % 10007 \".example\" }' >good\n"
    "awk 'BEGIN { for (i = 0; i < 400; i++) print \"www\" i * 104729 % 99991 \".invalid\" }' >bad\n"
    "awk 'BEGIN { for (i = 400; i < 800; i++) print \"www\" i * 104729 % 99991 \".invalid\" }' >valid\n"
    "gzip -k keys; xz -k keys; bzip2 -k keys; zstd -q keys\n"
    "$UF keygen -q -o k.key; $UF keygen -q --public --key-file k.key -o k.pub\n"
    "$UF build -q -o a.uf --spec bloom:n=1000,fpr=1e-6,seed=0x5eed keys\n"
    "$UF build -q -o b.uf --like a.uf more\n"
    "$UF build -q -o c.uf --spec counting:n=1000,fpr=1e-6,seed=0x5eed keys\n"
    "$UF build -q -o w.uf --spec blocked:n=1000,fpr=1e-6,window=3,seed=0x5eed keys\n"
    "$UF build -q -o p.uf --spec blocked:n=1000,fpr=0.01,parts=2,seed=0x5eed keys\n"
    "$UF build -q -o q.uf --spec 'keyed(blocked:n=1000,fpr=1e-6,seed=0x5eed)' --key-file k.key keys\n"
    "$UF build -q -o e.uf --for-release --epsilon 3 -n 1000 keys\n"
    "$UF split -q --parts 2 -o part-%d.uf p.uf\n"
    "$UF train -q -o m.ufm --positives good --negatives bad --valid valid\n"
    "$UF build -q -o l.uf --spec partition:fpr=0.1,seed=0x5eed --model m.ufm --valid valid --force good 2>/dev/null\n"
    "$UF sign -q --key-file k.key --name list --serial 2 a.uf; $UF sign -q --mac --key-file k.key c.uf\n"
    "$UF publish -q -o r.uf --epsilon 1 --capacity 1000 --key-file k.key --label one --ledger l.ufl --budget 99 keys\n"
    "$UF merge -q -o d.bloom --format dcso e.uf 2>/dev/null || $UF build -q -o d.bloom --format dcso --kind dcso "
    "keys\n";

const struct scene scenes[] = {
    {"build -o new.uf --spec bloom:n=1000,fpr=0.01,seed=0x5eed keys", {"new.uf"}, 0},
    {"build -o a.uf --spec blocked:n=1e5,fpr=0.01,seed=0x5eed -j 2 keys.gz more", {"a.uf"}, 0},
    {"build --json -o a.uf --spec ribbon:fpr=0.01,seed=0x5eed keys.xz keys.bz2", {"a.uf"}, 0},
    {"build -o l.uf --spec partition:fpr=0.1,seed=0x5eed --model m.ufm --valid valid --force good", {"l.uf"}, 0},
    {"build -o new.uf --spec keyed(blocked:n=1000,full=scale,seed=0x5eed) --key-file k.key keys", {"new.uf"}, 0},
    {"rebuild -o a.uf --like a.uf --key-file k.key keys", {"a.uf"}, RANDOM},
    {"train -o new.ufm --positives good --negatives bad --valid valid", {"new.ufm"}, SLOW},
    {"insert a.uf more", {"a.uf"}, 0},
    {"insert --new q.uf --key-file k.key more keys.zst", {"q.uf"}, 0},
    {"remove c.uf keys", {"c.uf"}, 0},
    {"rotate w.uf", {"w.uf"}, 0},
    {"query a.uf keys more", {NULL}, 0},
    {"query -j 2 --json --verify-key k.pub -c a.uf --also b.uf keys", {NULL}, 0},
    {"query --watch l.uf bad", {NULL}, SLOW},
    {"merge -o a.uf a.uf b.uf", {"a.uf"}, 0},
    {"split --parts 2 -o part-%d.uf p.uf", {"part-0.uf", "part-1.uf"}, 0},
    {"join -o new.uf part-0.uf part-1.uf", {"new.uf"}, 0},
    {"cluster info seen --redis 127.0.0.1:1", {NULL}, SLOW},
    {"info a.uf", {NULL}, SLOW},
    {"info --json l.uf", {NULL}, SLOW},
    {"info d.bloom", {NULL}, SLOW},
    {"overlap a.uf b.uf", {NULL}, SLOW},
    {"plan -n 1e6 -p 0.01", {NULL}, SLOW},
    {"plan --json -n 1e6 --epsilon 3", {NULL}, 0},
    {"publish -o r.uf --epsilon 1 --capacity 1000 --key-file k.key --label two --ledger l.ufl more",
     {"r.uf", "l.ufl"},
     RANDOM},
    {"publish -o new.uf --epsilon 3 --mechanism dime --universe range:1-3000 -p 0.01 keys", {"new.uf"}, RANDOM},
    {"publish -o new.uf --epsilon 3 --ledger new.ufl --budget 9 e.uf", {"new.uf", "new.ufl"}, RANDOM | SLOW},
    {"ledger l.ufl", {NULL}, SLOW},
    {"keygen -o new.key", {"new.key"}, RANDOM | ONCE},
    {"keygen --public --key-file k.key -o new.pub", {"new.pub"}, SLOW},
    {"sign --key-file k.key b.uf", {"b.uf.sig"}, 0},
    {"sign --mac --key-file k.key --name list --serial 3 a.uf", {"a.uf.sig"}, SLOW},
    {"verify --verify-key k.pub --name list --last last a.uf", {"last"}, 0},
    {"lab attack peel --seed 1 -n 50 --trials 10 --json", {NULL}, SLOW},
    {"lab game 2 -j 1 --seed 1 --trials 5 -n 50 --queries 50", {NULL}, SLOW},
    {"lab audit -j 1 --seed 1 --trials 20 --spec dpset:n=10,epsilon=1", {NULL}, SLOW},
    {"lab hybrid -n 1e6 -p 0.01 --adversarial-share 0.1", {NULL}, SLOW},
    {"lab reproduce", {NULL}, SLOW},
};

const size_t scene_count = sizeof scenes / sizeof scenes[0];

/* ---- every command has a scene ---- */

static int has_scene(const char *command, int lab)
{
    for (size_t i = 0; i < scene_count; i++) {
        const int is_lab = !strncmp(scenes[i].words, "lab ", 4);
        const char *word = scenes[i].words + (is_lab ? 4 : 0);
        if (is_lab == lab && !strncmp(word, command, strlen(command)) && strchr(" ", word[strlen(command)]))
            return 1;
    }
    return 0;
}

static unsigned missing_of(const struct stage *stage, int lab)
{
    char line[4200], name[64];
    unsigned missing = 0, seen = 0, listed = 0;
    (void)snprintf(line, sizeof line, "%s%s --help", stage->program, lab ? "-lab" : "");
    FILE *help = popen(line, "r"); // NOLINT: a path of our own
    assert_non_null(help);
    while (fgets(line, sizeof line, help)) {
        listed = strncmp(line, "Commands:", 9) ? listed && line[0] != '\n' : 1;
        if (!listed || sscanf(line, "  %63[a-z] ", name) != 1)
            continue;
        seen++;
        if (has_scene(name, lab))
            continue;
        complain("no scene for the command %s: add one to scenes.c", name);
        missing++;
    }
    (void)pclose(help);
    return seen ? missing : 1;
}

unsigned stage_missing(const struct stage *stage)
{
    return missing_of(stage, 0) + missing_of(stage, 1);
}
