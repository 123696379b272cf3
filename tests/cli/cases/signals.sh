# SPDX-License-Identifier: MIT
# Interrupted at any moment, build and insert leave the old file or the whole new one, and nothing else.
needs timeout
bits=40000000 # 5 MB: saving takes long enough to be met in the middle
delays='0.005 0.01 0.02 0.03 0.05 0.1'
[ -z "$FULL" ] || delays=$(seq 0.001 0.001 0.1)
seq 1000 >keys

# interrupt SIGNAL SECONDS COMMAND...: ends the command after that time, if it still runs then.
interrupt() {
    signal=$1 seconds=$2
    shift 2
    timeout -k 20 -s "$signal" "$seconds" "$@" >out 2>&1 || true
}

note "while the keys are read"
for signal in INT TERM HUP; do
    mkdir empty
    yes | interrupt $signal 0.1 ultrafilter build -o empty/f.uf -n 1000
    [ -z "$(files_in empty)" ] && echo "$signal: no file"
    rm -r empty
done

note "at any time, a new file"
mkdir new
for signal in INT TERM; do
    wrong=
    for delay in $delays; do
        interrupt $signal "$delay" ultrafilter build -o new/f.uf --spec "blocked:n=0,bits=$bits" /dev/null
        case $(files_in new) in
        '') ;;
        f.uf) ultrafilter info new/f.uf >out 2>&1 || wrong="$wrong $delay: $(cat out)" ;;
        *) wrong="$wrong $delay: $(files_in new)" ;;
        esac
        rm -f new/*
    done
    echo "$signal: ${wrong:-all of it or nothing}"
done

note "at any time, an old file"
mkdir old
quietly ultrafilter build -o old/f.uf --spec "blocked:n=0,bits=$bits,seed=0x1" /dev/null
cp old/f.uf before
cp old/f.uf after
quietly ultrafilter insert after keys
wrong=
for delay in $delays; do
    interrupt INT "$delay" ultrafilter insert old/f.uf keys
    [ "$(files_in old)" = f.uf ] || wrong="$wrong $delay: $(files_in old)"
    cmp -s old/f.uf before || cmp -s old/f.uf after || wrong="$wrong $delay: another file"
    cp before old/f.uf
done
echo "INT: ${wrong:-the old one or the new one}"

note "the control: SIGKILL, which cannot be put off, meets it in the middle"
for delay in $(seq 0.001 0.001 0.1); do
    interrupt KILL "$delay" ultrafilter build -o new/f.uf --spec "blocked:n=0,bits=$bits" /dev/null
    case $(files_in new) in f.uf.*) break ;; esac
    rm -f new/*
done
try 'ls -A new'
try 'ultrafilter build -q -n 10 -o new/f.uf /dev/null; ls -A new'
