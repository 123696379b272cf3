/* SPDX-License-Identifier: MIT */
/* ultrafilter: what it is, and the commands that commands/commands.def lists. */
#include "commands.h"
#include "program.h"

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
    0,
};

static const struct moved moved[] = {
    {"attack", "ultrafilter-lab attack"},
    {"game", "ultrafilter-lab game"},
    {"audit", "ultrafilter-lab audit"},
    {"reproduce", "ultrafilter-lab reproduce"},
    {0, 0},
};

static const struct moved hints[] = {
    {"create", "build"},    {"new", "build"},         {"make", "build"},
    {"add", "insert"},      {"put", "insert"},        {"check", "query"},
    {"contains", "query"},  {"exists", "query"},      {"test", "query"},
    {"lookup", "query"},    {"grep", "query"},        {"count", "query -c"},
    {"stats", "info"},      {"show", "info"},         {"inspect", "info"},
    {"del", "remove"},      {"delete", "remove"},     {"rm", "remove"},
    {"union", "merge"},     {"convert", "merge"},     {"join", "merge"},
    {"release", "publish"}, {"key", "keygen"},        {"diff", "overlap"},
    {"compare", "overlap"}, {"intersect", "overlap"}, {0, 0},
};

static const struct program program = {
    .name = "ultrafilter",
    .summary = "approximate set membership from a small file",
    .about =
        "UltraFilter answers \"is this key in the set?\" from a file of about ten bits per key. A key that was added "
        "is found; a few others are too, at a rate that you choose. (Files that hide who is in the set miss some of "
        "its keys, and so do filters of which others were removed: 'info' says how many.) Keys are lines: words, "
        "addresses, URLs, "
        "hashes, anything.",
    .example = "  ultrafilter build -o words.uf -p 0.01 words.txt\n"
               "  echo hello | ultrafilter query words.uf\n",
    .exit_status = "0 on success, 2 on an error; query, insert, remove and overlap also have 1, when no key was found, "
                   "some were refused "
                   "or there is nothing to compare.",
    .related = "ultrafilter-lab",
    .commands = commands,
    .moved = moved,
    .hints = hints,
};

int main(int argc, char **argv)
{
    return program_run(&program, argc, argv);
}
