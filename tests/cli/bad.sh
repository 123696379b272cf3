# SPDX-License-Identifier: MIT
# Files that are no filters, made for the cases bad_files and bad_files_memory.
# shellcheck shell=sh

seq 100 >keys
: >empty.uf
printf '\211UFL\r\n' >six.uf
awk 'BEGIN { for (i = 0; i < 100; i++) printf "%c", (i * 167 + 13) % 127 + 1 }' >noise.uf
mkdir folder.uf
build good.uf "$(seeded blocked 100 0.01)" <keys

# 17 GB in the fields "bytes of the file" and "bytes of the payload" (docs/format.md).
head -c 100 good.uf >claim100.uf
put claim100.uf 24 '\0\020\0\0\004\0\0\0'
put claim100.uf 32 '\0\0\0\0\004\0\0\0'
{ cat good.uf && head -c 4200 /dev/zero; } | head -c 4200 >claim4200.uf
put claim4200.uf 24 '\0\020\0\0\004\0\0\0'
put claim4200.uf 32 '\0\0\0\0\004\0\0\0'

# A header that is valid in itself, checksum and all, of a filter of 32 MiB.
build large.uf bloom:n=0,bits=268435456,k=8,seed=0x5eed </dev/null
head -c 4096 large.uf >header-only.uf
{ cat header-only.uf && head -c 104 /dev/zero; } >header-and-more.uf
head -c -8 large.uf >cut.uf
{ cat good.uf && echo; } >longer.uf

gzip -c good.uf | head -c 200 >packed.uf
printf 'just some text,\nand a second line of it\n' >text.uf
seq 10000 >long-text.uf
quietly ultrafilter build -o other.bloom --format dcso -n 100 -p 0.01 keys
# The fields of DCSO's format: flags, n, p, k, m, N, 8 bytes each. This one says m = 2^37 bits.
head -c 100 other.bloom >claim100.bloom
put claim100.bloom 32 '\0\0\0\0\040\0\0\0'
head -c 30 other.bloom >short.bloom

bad_uf='empty six noise folder missing claim100 claim4200 header-only header-and-more cut longer packed text long-text'
bad_dcso='empty.uf six.uf noise.uf folder.uf missing.bloom claim100.bloom short.bloom packed.uf'
