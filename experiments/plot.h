/* SPDX-License-Identifier: MIT */
/* Figures by gnuplot, as SVG and PNG. */
#ifndef EXPERIMENTS_PLOT_H
#define EXPERIMENTS_PLOT_H

#include "experiment.h"

/* 0: there is a gnuplot that runs. */
int plot_missing(void);

/* Writes FOLDER/NAME.gp, .svg and .png: whole files or none. 0, or -1. */
int plot_draw(const char *folder, const struct figure *figure);

/* A file of the folder, replaced as a whole. `write` gets it open; 0, or -1. */
int plot_replace(const char *folder, const char *name, void (*write)(FILE *out, const void *what), const void *what);

#endif
