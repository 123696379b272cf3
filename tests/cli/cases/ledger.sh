# SPDX-License-Identifier: MIT
# ledger: what it shows of a ledger, and files that are none.
cat >a.ufl <<'END'
ultrafilter-ledger-1
budget patients 3
release patients 1.25 dpset 91b7e3c05de1a2f891b7e3c05de1a2f8
budget staff/2024 0.5
release staff/2024 0.09999999999999645 ultra 00000000000000000000000000000001
release patients 0.5 ultra 2c4f0a77
end 6 3fe0e7ebb69d09be
END
cat >empty.ufl <<'END'
ultrafilter-ledger-1
end 1 4a41ce4ffafb193d
END
cat >b.ufl <<'END'
ultrafilter-ledger-2
budget patients 3
release patients 0.5 dpset 91b7e3c05de1a2f891b7e3c05de1a2f8
budget staff/2024 0.5
release staff/2024 0.09999999999999645 ultra 00000000000000000000000000000001 delta=0 date=2026-05-01T08:00:00Z file=staff.uf
release patients 1.25 dpset 2c4f0a77 delta=9.094947017729282e-13 date=2026-05-02T23:59:59Z label=spring file=the%20patients%0A.uf
end 6 78df74127d5e275e
END
try 'ultrafilter ledger a.ufl'
try 'ultrafilter ledger b.ufl'
try 'ultrafilter ledger --json b.ufl'
try 'ultrafilter ledger --json a.ufl'
try 'ultrafilter ledger empty.ufl'
try 'ultrafilter ledger --json empty.ufl'

note "not ledgers"
sed 's/1\.25/1.24/' a.ufl >altered.ufl
sed '$d' a.ufl >cut.ufl
sed 6d a.ufl >shorter.ufl
sed 's/$/\r/' a.ufl >crlf.ufl
sed '1s/1$/3/' a.ufl >newer.ufl
head -c 60 a.ufl >torn.ufl
: >nothing.ufl
head -c 1000 /dev/zero >zeros.ufl
truncate -s 1G huge.ufl
mkdir folder
mkfifo pipe
seq 3 >keys
build filter.uf "$(seeded bloom 3 0.01)" <keys
for file in altered.ufl cut.ufl shorter.ufl crlf.ufl newer.ufl torn.ufl nothing.ufl zeros.ufl huge.ufl keys filter.uf \
    folder pipe missing.ufl; do
    try "ultrafilter ledger $file"
done
try 'ultrafilter ledger --json altered.ufl'

note "usage"
try 'ultrafilter ledger'
try 'ultrafilter ledger a.ufl empty.ufl'
try 'ultrafilter ledger -q a.ufl'
try 'ultrafilter ledger a.ufl >/dev/full'
