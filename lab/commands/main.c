/* SPDX-License-Identifier: MIT */
/* ultrafilter-lab: the evidence behind what ultrafilter promises, and the commands that commands.def lists. */
#include "commands.h"
#include "program.h"

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
    0,
};

static const struct program program = {
    .name = "ultrafilter-lab",
    .summary = "attacks, games and audits of approximate set membership",
    .about = "The evidence behind UltraFilter: what attackers achieve against filters with and without a key, how "
             "often adversaries win the games of the literature, how much of its privacy budget a mechanism is seen to "
             "spend, and the tables and figures of the papers, measured again. Filters are made with 'ultrafilter'.",
    .example = "  ultrafilter-lab attack blind\n"
               "  ultrafilter-lab audit --spec dpset:n=1000,epsilon=1\n",
    .exit_status =
        "0 on success, 1 when a game is lost, a promise is broken or a number is off, 2 on an error, 3 when an "
        "audit could not have noticed.",
    .related = "ultrafilter",
    .commands = commands,
};

int main(int argc, char **argv)
{
    return program_run(&program, argc, argv);
}
