# SPDX-License-Identifier: MIT
# Bars for one size: build, queries for absent keys one by one, and in batches.
# gnuplot -c chart.gp DATA OUT TITLE ROWS 0 0
# DATA has a line per bar: its row from below, ns per key, colour as a number, label. A line of -1 ns is the heading
# of the bars below it. White ground, so that the picture reads on light and dark pages.
data = ARG1
rows = int(ARG4) - 1
bar(ns) = ns > 0 ? ns : 0
shown(ns) = ns > 0 ? sprintf(ns < 20 ? '%.1f' : '%.0f', ns) : ''
name(ns, text) = ns > 0 ? text : ''
heading(ns, text) = ns > 0 ? '' : text

set terminal svg size 820,(90 + 21 * rows) noenhanced font 'Helvetica,13' background rgb 'white'
set output ARG2
set label ARG3 at screen 0.5, screen (1 - 22.0/(90 + 21 * rows)) center font ',13'
set tmargin 2.5
set style fill solid 1.0 noborder
unset key
unset border
unset ytics
set xtics nomirror font ',11' scale 0
set xlabel 'ns per key (less is better)'
set grid xtics lc rgb '#dddddd' lt 1
set xrange [0:*]
set yrange [-0.7:rows - 0.2]
set offsets 0, graph 0.06, 0, 0
set lmargin 24
set rmargin 3
plot data using (bar($2)/2):1:(bar($2)/2):(0.4):3 with boxxyerror lc rgb variable, \
    data using (bar($2)):1:(shown($2)) with labels left offset 0.6,0 font ',12', \
    data using (0):1:(name($2, strcol(4))) with labels right offset -0.8,0 font ',12', \
    data using (0):1:(heading($2, strcol(4))) with labels right offset -0.8,0 font 'Helvetica:Bold,13'
