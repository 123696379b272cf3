#!/bin/sh
# SPDX-License-Identifier: MIT
# The includes of the tree are in order (includes), and the checker finds what is planted in a copy: a circle between
# folders, a circle within one that must have none, an include against the order, an inner header outside src/.
# usage: tests/check/includes_test.sh SOURCE-FOLDER
set -eu
source=$(cd "$1" && pwd)
check=$source/tests/check/includes
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$check" "$source"

# Four folders of src/, two files each, and a program; nothing wrong with them.
mkdir -p "$folder/src/core" "$folder/src/kinds" "$folder/src/filter" "$folder/cli/input" "$folder/cli/output"
cd "$folder"
printf 'uf_layer(core)\nuf_layer(filter core)\nuf_layer(kinds core filter)\n' >src/CMakeLists.txt
echo '#include "ultrafilter.h"' | tee src/core/mem.h cli/output/say.h cli/input/text.h >/dev/null
echo '#include "mem.h"' | tee src/core/mem.c src/filter/ops.h src/filter/chain.h >/dev/null
echo '#include "ops.h"' | tee src/kinds/bloom.h src/filter/chain.c >/dev/null
echo '#include "text.h"' >cli/output/say.c
"$check" . >/dev/null || {
    echo "FAILED: a tree in order is refused" >&2
    exit 1
}

# planted NAME FILE INCLUDED WORDS: with that line in the file, the checker fails and says the words.
planted() {
    cp "$2" kept
    printf '#include "%s"\n' "$3" >>"$2"
    if "$check" . >output 2>&1 || ! grep -q "$4" output; then
        echo "FAILED: not found: $1" >&2
        cat output >&2
        exit 1
    fi
    cp kept "$2"
}

planted "a circle between folders" cli/input/text.h say.h 'circle of 2 files'
planted "a circle in src/filter" src/filter/ops.h chain.h 'circle of 2 files'
planted "an include against the order" src/core/mem.c bloom.h 'mem.c:2: includes src/kinds/bloom.h, against the order'
planted "an inner header outside src" cli/output/say.c mem.h 'say.c:2: includes src/core/mem.h, against the order'
echo "what was planted is found"
