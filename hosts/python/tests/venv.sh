#!/bin/sh
# SPDX-License-Identifier: MIT
# The wheel in a fresh virtual environment without numpy, and with what its extension needs of the system.
# usage: venv.sh PYTHON WHEEL_FOLDER
set -eu
python=$1
wheel=$(ls "$2"/*.whl)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $wheel in *-cp311-abi3-*) ;; *) echo "$wheel is not for the limited interface of 3.11" && exit 1 ;; esac
"$python" -c 'import pip' 2>/dev/null || exit 77
"$python" -m venv --without-pip "$folder/venv"
env -u PYTHONPATH "$python" -m pip -q --disable-pip-version-check --python "$folder/venv/bin/python" install --no-index --no-compile "$wheel"
cd "$folder"
env -u PYTHONPATH venv/bin/python - <<'END'
import sys, ultrafilter
assert "numpy" not in sys.modules and ultrafilter.__file__.startswith(sys.prefix), ultrafilter.__file__
f = ultrafilter.Filter("bloom:n=1000,fpr=0.001", ["alice", "bob"])
assert list(f.query(["alice", "carol"])) == [True, False]
import importlib.resources as r
assert r.files(ultrafilter).joinpath("py.typed").is_file() and r.files(ultrafilter).joinpath("_core.pyi").is_file()
assert ultrafilter.__version__ == __import__("importlib.metadata").metadata.version("ultrafilter")
END
module=$(find venv -name '_core*.so')
needs=$(readelf -d "$module" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v -e '^libc\.' -e '^libcrypto\.' -e '^libsodium\.' -e '^libm\.' -e '^libpthread\.' -e '^ld-linux' || true)
[ -z "$needs" ] || { echo "the module needs $needs, too" && exit 1; }
if readelf -W --dyn-syms "$module" | grep -q ' uf_query'; then echo "the module shows names of the library" && exit 1; fi
