/* SPDX-License-Identifier: MIT */
/*
 * A figure is a script of gnuplot that stays beside its data, so that it can be changed and drawn again:
 *
 *     cd FOLDER && gnuplot -e "out='figure1.svg'; terminal='svg'" figure1.gp
 */
#include "plot.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { NAME = 64 };

static int in_folder(char path[PATH_MAX], const char *folder, const char *name, const char *suffix)
{
    if ((size_t)snprintf(path, PATH_MAX, "%s/%s%s", folder, name, suffix) < PATH_MAX)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

int plot_replace(const char *folder, const char *name, void (*write)(FILE *out, const void *what), const void *what)
{
    char part[PATH_MAX], path[PATH_MAX];
    if (in_folder(part, folder, name, ".part") || in_folder(path, folder, name, ""))
        return -1;
    FILE *out = fopen(part, "we");
    if (!out)
        return -1;
    write(out, what);
    int failed = ferror(out);
    failed |= fclose(out);
    if (!failed && !rename(part, path))
        return 0;
    (void)unlink(part);
    return -1;
}

/* gnuplot with one expression and a script, in the folder, with no input. 0 when it went well. */
static int gnuplot(const char *folder, const char *expression, const char *script)
{
    const char *const words[] = {"gnuplot", "-e", expression, script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions))
        return -1;
    int failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0) ||
                 posix_spawn_file_actions_addchdir_np(&actions, folder) ||
                 posix_spawnp(&child, "gnuplot", &actions, NULL, (char *const *)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed || waitpid(child, &status, 0) != child || status ? -1 : 0;
}

int plot_missing(void)
{
    return gnuplot("/", "exit", NULL);
}

static void write_script(FILE *out, const void *what)
{
    const struct figure *figure = what;
    (void)fprintf(out,
                  "# Drawn by: gnuplot -e \"terminal='svg'; out='%s.svg'\" %s.gp\n"
                  "if (terminal eq 'svg') {\n"
                  "    set terminal svg size 800,500 noenhanced font 'Helvetica,14' background rgb 'white'\n"
                  "} else {\n"
                  "    set terminal pngcairo size 1200,750 noenhanced font 'Helvetica,16' background rgb 'white'\n"
                  "}\n"
                  "set output out\n"
                  "set datafile separator '\\t'\n"
                  "set datafile missing '-'\n"
                  "set grid lc rgb '#dddddd' lt 1\n"
                  "%s",
                  figure->name, figure->name, figure->script);
}

static int draw_as(const char *folder, const char *name, const char *script, const char *terminal)
{
    char part[PATH_MAX], path[PATH_MAX], file[NAME], expression[256];
    (void)snprintf(file, sizeof file, "%s.%s", name, terminal);
    (void)snprintf(expression, sizeof expression, "terminal='%s'; out='%s.part'", terminal, file);
    if (in_folder(part, folder, file, ".part") || in_folder(path, folder, file, ""))
        return -1;
    if (!gnuplot(folder, expression, script) && !rename(part, path))
        return 0;
    (void)unlink(part);
    return -1;
}

int plot_draw(const char *folder, const struct figure *figure)
{
    char script[NAME];
    (void)snprintf(script, sizeof script, "%s.gp", figure->name);
    if (plot_replace(folder, script, write_script, figure))
        return -1;
    return draw_as(folder, figure->name, script, "svg") || draw_as(folder, figure->name, script, "png") ? -1 : 0;
}
