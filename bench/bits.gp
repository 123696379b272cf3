# SPDX-License-Identifier: MIT
# Bits per key of private sets against epsilon (bench/bits.py has the columns). usage: gnuplot -e "data='F.dat'; out='F.svg'" bits.gp
set terminal svg size 1000,440 noenhanced font 'Helvetica,13' background rgb 'white'
set output out
set multiplot layout 1,2
set key left top Left reverse samplen 2
set grid ytics lc rgb '#dddddd'
set xlabel 'epsilon per key'
set xrange [0:10.2]
set style data lines

set title 'bits per key, n = 10^6'
set yrange [0:32]
plot data using 1:8 title 'rr: randomized response, errors 1.5 times the limit' lc rgb '#999999' dt 2 lw 2, \
     data using 1:4 title 'dpset, dyadic' lc rgb '#d55e00' lw 2, \
     data using 1:5 title 'dpset, radix' lc rgb '#0072b2' lw 2, \
     data using 1:6 title 'dpset, radix, --prefer small' lc rgb '#009e73' lw 2, \
     data using 1:2 title 'ideal: (1 - e^-eps) log2(1 + e^eps)' lc rgb 'black' lw 1, \
     data using 1:3 title 'no file with these errors is below' lc rgb 'black' dt 3 lw 2

set title 'times the ideal'
set key right top
set yrange [0.5:2]
plot data using 1:($4 / $2) title 'dpset, dyadic' lc rgb '#d55e00' lw 2, \
     data using 1:($5 / $2) title 'dpset, radix' lc rgb '#0072b2' lw 2, \
     data using 1:($6 / $2) title 'dpset, radix, --prefer small' lc rgb '#009e73' lw 2, \
     data using 1:(1.05 * $7 / $2) title 'Patel et al. 2024, (eps, delta): 1.05 eps log2 e' lc rgb '#cc79a7' dt 4 lw 2, \
     data using 1:($7 / $2) title 'Patel et al. 2024, pure, slow to ask: eps log2 e' lc rgb '#cc79a7' dt 2 lw 2, \
     data using 1:($3 / $2) title 'no file with these errors is below' lc rgb 'black' dt 3 lw 2
