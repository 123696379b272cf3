# SPDX-License-Identifier: MIT
# A blacklist is permanent: filters and strikes are saved, loaded, and survive a kill; nobody is removed twice.
printf '"EVIL"\n' >patterns.txt
gate='packet_gate --patterns patterns.txt --keep state --good counting:n=5000 --bad bloom:n=1000 --sources 8192 --seed 1'
evil=0x4556494c
said() { $gate --lines /dev/null --ask ask.txt 2>&1 | grep '^10'; }
printf '10.0.0.1\n10.0.0.2\n10.0.0.3\n10.0.0.4\n' >ask.txt

note "two strikes in one run, the third in the next; the first half of a sequence in one, the second in the other"
printf '%s\n' "10.0.0.1 $evil" "10.0.0.1 $evil" '10.0.0.2 1' "10.0.0.3 $evil" "10.0.0.3 $evil" '10.0.0.3 0x00004556' >packets.txt
try '$gate --lines packets.txt | grep "^Strikes"; files_in state'
printf '%s\n' "10.0.0.1 $evil" '10.0.0.3 0x494c0000' >packets.txt
try '$gate --lines packets.txt | grep -e ^Strikes -e ^Good | sed "s/;.*//"'
try said
note "other patterns: strikes stay, unfinished sequences begin anew"
printf '%s\n' "10.0.0.4 $evil" "10.0.0.4 $evil" '10.0.0.4 0x00004556' >packets.txt
try '$gate --lines packets.txt | grep "^Strikes"'
echo '10.0.0.4 0x494c0000' >packets.txt
printf '"EVIL"\n"OTHER"\n' >more.txt
try 'packet_gate --patterns more.txt --keep state --sources 8192 --seed 1 --lines packets.txt | grep "^Strikes"'

note "killed: who turned bad stays bad, though nothing was saved since"
mkfifo pipe
$gate --lines pipe >report 2>errors &
pid=$!
exec 3>pipe
for i in 1 2 3 4 5; do echo "10.0.0.9 $evil"; done >&3
seq -f '%.0f 1' 3000 >&3
while ! grep -q . state/bad.journal; do sleep 0.02; done
kill -9 $pid
exec 3>&-
wait $pid 2>/dev/null || true
try 'cat state/bad.journal'
printf '10.0.' >>state/bad.journal
echo 10.0.0.9 >ask.txt
try said
note "now it is in bad.uf, and the journal is empty; half a line was nobody"
try 'size_of state/bad.journal; said'

note "saved now and then"
mkfifo pipe2
$gate --save-every 0.05 --lines pipe2 >report 2>errors &
pid=$!
exec 3>pipe2
before=$(ls -i state/good.uf)
while [ "$(ls -i state/good.uf)" = "$before" ]; do
    seq -f '%.0f 1' 3000 >&3
    sleep 0.02
done
exec 3>&-
wait $pid && echo "saved meanwhile"

note "one gate at a time; what a file has stays; damage is seen"
mkfifo pipe3
$gate --lines pipe3 >report 2>errors &
pid=$!
exec 3>pipe3
echo "1 1" >&3
while [ ! -s state/bad.journal ] && ! $gate --lines /dev/null 2>&1 | grep -q another; do sleep 0.02; done
try '$gate --lines /dev/null'
exec 3>&-
wait $pid || cat errors
try '$gate --lines /dev/null --bad bloom:n=5000 2>&1 | mask_seeds'
try '$gate --lines /dev/null --bad bloom:n=1000 | grep -c "^Bad"'
try '$gate --lines /dev/null --exact'
cp state/table table
put state/table 60 '\377\377'
try '$gate --lines /dev/null'
head -c 100 table >state/table
try '$gate --lines /dev/null'
rm state/table
try '$gate --lines /dev/null | grep -c "^Table *0 of"'
put state/bad.uf 200 '\377\377'
try '$gate --lines /dev/null 2>&1 | sed "s/: [^:]*$//"'
try 'packet_gate --lines /dev/null --keep missing/state'
try 'packet_gate --lines /dev/null --save-every 5'
