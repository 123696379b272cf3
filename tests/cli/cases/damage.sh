# SPDX-License-Identifier: MIT
# One byte changed, anywhere in the file: exit status 2, a reason on stderr, not one answer on stdout. The unit tests
# flip every bit; here the program is asked, at the edges of every region and at every 97th byte between.
seq 300 >keys
step=97
[ -z "$FULL" ] || step=7

# byte FILE OFFSET: its value.
byte() { od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' '; }

# offsets SIZE: fields and edges of the header, of the payload, of the table of checksums and of its own.
offsets() {
    {
        printf '%s\n' 0 7 8 10 12 16 20 24 32 40 44 48 50 52 56 64 68 72 79 4087 4088 4095 4096 4097
        printf '%s\n' $(($1 - 17)) $(($1 - 16)) $(($1 - 9)) $(($1 - 8)) $(($1 - 1))
        seq 90 $step $(($1 - 1))
    } | sort -nu
}

for kind in $kinds; do
    build good.uf "$(seeded "$kind" 300 0.01)" <keys
    changed=0 refused=0
    for offset in $(offsets "$(size_of good.uf)"); do
        cp good.uf bad.uf
        put bad.uf "$offset" "\\$(printf '%03o' $(($(byte good.uf "$offset") ^ (1 << changed % 8))))"
        changed=$((changed + 1))
        code=0
        ultrafilter query bad.uf keys >out 2>err || code=$?
        if [ $code -eq 2 ] && [ ! -s out ] && grep -q '^ultrafilter: bad.uf ' err; then
            refused=$((refused + 1))
        else
            echo "$kind: byte $offset changed: exit $code, $(wc -l <out) answers, $(cat err)"
        fi
    done
    [ $refused -eq $changed ] && [ $changed -gt 70 ] && echo "$kind: each changed byte is noticed"
done

note "what is said"
try 'cp good.uf bad.uf; put bad.uf 0 X; ultrafilter query bad.uf keys'
try 'cp good.uf bad.uf; put bad.uf 8 "\002"; ultrafilter query bad.uf keys'
try 'cp good.uf bad.uf; put bad.uf 100 X; ultrafilter query bad.uf keys'
try 'cp good.uf bad.uf; put bad.uf 4100 X; ultrafilter query bad.uf keys'
try 'cp good.uf bad.uf; put bad.uf $(($(size_of good.uf) - 12)) X; ultrafilter query bad.uf keys'
try 'cp good.uf bad.uf; put bad.uf $(($(size_of good.uf) - 1)) X; ultrafilter query bad.uf keys'
try 'ultrafilter query -c good.uf keys'
