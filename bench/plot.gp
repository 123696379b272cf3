# SPDX-License-Identifier: MIT
# Cost against the number of keys: build, queries for absent keys one by one, and in batches.
# gnuplot -c plot.gp DATA OUT TITLE BUILD_SERIES SINGLE_SERIES BATCH_SERIES
# DATA is a list of series, first those of the left panel; a series opens with "#RRGGBB|label". White ground, so that
# the picture reads on light and dark pages.
data = ARG1
builds = int(ARG4)
singles = builds + int(ARG5)
batches = singles + int(ARG6)
array head[batches]
do for [i = 1:batches] {
    stats data index i-1 every ::0::0 using (head[i] = strcol(1), 1) nooutput
}
colour(i) = head[i][1:7]
label(i) = head[i][9:]
# The limit is the last series of each panel: a dashed line without points.
limit(i) = i == builds || i == singles || i == batches
width(i) = limit(i) ? 1.5 : 2
dash(i) = limit(i) ? 2 : 1
size(i) = limit(i) ? 0.1 : 0.5

set terminal svg size 1300,520 noenhanced font 'Helvetica,13' background rgb 'white'
set output ARG2
set multiplot layout 1,3 title ARG3 font ',14' margins 0.055,0.99,0.32,0.86 spacing 0.035,0
set logscale xy 10
set xrange [8e3:1.25e8]
set yrange [1:500]
set xtics ('10 k' 1e4, '100 k' 1e5, '1 M' 1e6, '10 M' 1e7, '100 M' 1e8)
set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500)
set grid xtics ytics lc rgb '#dddddd' lt 1
set xlabel 'number of keys'
set key at screen 0.5,0.17 center top maxrows 4 samplen 2 width 1 spacing 1.1
set ylabel 'ns per key'

set title 'Build'
plot for [i = 1:builds] data index i-1 every ::1 using 1:2 with linespoints lw width(i) dt dash(i) pt 7 ps size(i) \
    lc rgb colour(i) title label(i)
unset key
unset ylabel
set title 'Query, key absent, one by one'
plot for [i = builds+1:singles] data index i-1 every ::1 using 1:2 with linespoints lw width(i) dt dash(i) \
    pt 7 ps size(i) lc rgb colour(i) notitle
set title 'Query, key absent, in batches'
plot for [i = singles+1:batches] data index i-1 every ::1 using 1:2 with linespoints lw width(i) dt dash(i) \
    pt 7 ps size(i) lc rgb colour(i) notitle
unset multiplot
