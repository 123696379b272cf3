/* SPDX-License-Identifier: MIT */
/*
 * The Bodega paper (A. Bishop, H. Tirmazi, 2024), section 7: table 1 and figure 6 as printed and corrected
 * (bodega_paper.c), its theorems against real filters (bodega_trials.c), and filters of words or of the caller's data
 * under attack (bodega_data.c).
 */
#include "bodega.h"

#define FIGURE                                                             \
    "set xlabel 'alpha, the share of queries that an adversary chooses'\n" \
    "set ylabel 'false-positive rate'\n"

static const struct figure figures[] = {
    {"bodega_figure6",
     FIGURE "set title 'Bodega paper, figure 6, with the numbers of its table 1'\n"
            "set xrange [0:0.2]\n"
            "set yrange [0.001:1]\n"
            "set logscale y\n"
            "set key bottom right\n"
            "f = 'bodega_figure6.tsv'\n"
            "plot f using 1:3 with lines lw 2 lc rgb 'black' title 'secure classical', \\\n"
            "    f using 1:4 with lines lw 2 lc rgb '#D55E00' title 'downtown as printed (definition 20)', \\\n"
            "    f using 1:5 with lines lw 2 dt 2 lc rgb '#E69F00' title 'the same, Q_N = 0.5', \\\n"
            "    f using 1:6 with lines lw 2 lc rgb '#0072B2' title 'with the keys of their own branch'\n"},
    {"bodega_corrected",
     FIGURE "set title 'Figure 6 corrected: the model of Kraska et al. in 2 MB'\n"
            "set xrange [0:0.3]\n"
            "set yrange [0:0.02]\n"
            "set key bottom right\n"
            "f = 'bodega_figure6.tsv'\n"
            "plot f using 1:3 with lines lw 2 lc rgb 'black' title 'secure classical', \\\n"
            "    f using 1:8 with lines lw 2 lc rgb '#D55E00' title 'downtown sized for alpha 0, worst branch', \\\n"
            "    f using 1:7 with lines lw 2 dt 2 lc rgb '#E69F00' title 'the same, even split', \\\n"
            "    f using 1:9 with lines lw 2 lc rgb '#0072B2' title 'downtown sized for alpha, worst branch'\n"},
    {"bodega_code", FIGURE "set title 'What the published code computes: k = ceil(ln 2 n / m)'\n"
                           "set xrange [0:1]\n"
                           "set yrange [0:0.2]\n"
                           "set key top left\n"
                           "f = 'bodega_code.tsv'\n"
                           "plot f using 1:3 with lines lw 2 lc rgb 'black' title 'secure classical', \\\n"
                           "    f using 1:4 with linespoints pt 7 ps 0.5 lw 2 lc rgb '#D55E00' title 'downtown'\n"},
    {"bodega_measured", FIGURE
     "set title 'Measured: filters of the same size under attack'\n"
     "set xrange [0:0.3]\n"
     "set yrange [1e-5:1]\n"
     "set format y '%g'\n"
     "set logscale y\n"
     "set key bottom right\n"
     "f = 'bodega_measured.tsv'\n"
     "plot f using 1:3 with linespoints pt 7 ps 0.5 lw 2 lc rgb 'black' title 'secure classical', \\\n"
     "    f using 1:8 with linespoints pt 7 ps 0.5 lw 2 lc rgb '#E69F00' title 'downtown by definition 20', \\\n"
     "    f using 1:9 with linespoints pt 7 ps 0.5 lw 2 lc rgb '#D55E00' title 'partitioned, planned for nobody', \\\n"
     "    f using 1:5 with linespoints pt 7 ps 0.5 lw 2 lc rgb '#0072B2' title 'downtown', \\\n"
     "    f using 1:7 with linespoints pt 7 ps 0.5 lw 2 lc rgb '#009E73' title 'robust'\n"},
    {NULL, NULL},
};

static int run(const struct setup *setup, struct report *out, uf_error *why)
{
    int status = bodega_paper(out, why);
    if (status == UF_OK)
        status = bodega_trials(setup, out, why);
    return status == UF_OK ? bodega_data(setup, out, why) : status;
}

const struct experiment experiment_bodega = {
    .name = "bodega",
    .about = "Adversary Resilient Learned Bloom Filters (A. Bishop, H. Tirmazi, 2024)",
    .run = run,
    .figures = figures,
};
