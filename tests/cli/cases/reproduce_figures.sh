# SPDX-License-Identifier: MIT
# The figures, as SVG and PNG, and the scripts that draw them again.
needs gnuplot
for list in french british-english-huge; do
    [ -r /usr/share/dict/$list ] || skip "the word list $list is not installed"
done
quietly ultrafilter-lab reproduce --out out -n 1000
for figure in figure1 figure2 figure6 bodega_figure6 bodega_corrected bodega_code bodega_measured; do
    head -c 5 out/$figure.svg
    echo " $(head -c 4 out/$figure.png | tail -c 3) $(grep -c '^plot' out/$figure.gp)"
    [ "$(size_of out/$figure.svg)" -gt 8000 ] && [ "$(size_of out/$figure.png)" -gt 8000 ] || echo "$figure is empty"
done
ls -A out | grep part || echo "nothing half done"
cp out/figure1.svg first.svg
(cd out && gnuplot -e "terminal='svg'; out='figure1.svg'" figure1.gp)
cmp out/figure1.svg first.svg
mkdir bad
printf '#!/bin/sh\n[ "$2" = exit ]\n' >bad/gnuplot
chmod +x bad/gnuplot
try 'PATH=$PWD/bad:$PATH; ultrafilter-lab reproduce ultrafilter -n 1000 --out again'
ls -A again | grep figure
