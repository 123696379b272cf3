#!/bin/sh
# SPDX-License-Identifier: MIT
# A source distribution, unpacked where nothing else of the tree is; a wheel from it, with the library built by CMake from
# the copy inside; and that in a fresh virtual environment. A minute or two: make check runs it.
# usage: sdist.sh PYTHON
set -eu
python=$1
source=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -c 'import setuptools, wheel, pip'
unset PYTHONPATH
(cd "$source" && "$python" setup.py -q egg_info --egg-base "$folder" sdist --dist-dir "$folder/dist" >"$folder/log" 2>&1) || { cat "$folder/log" && exit 1; }
mkdir "$folder/unpacked"
tar -xzf "$folder"/dist/ultrafilter-*.tar.gz -C "$folder/unpacked" --strip-components=1
cd "$folder/unpacked"
"$python" -m pip -q --disable-pip-version-check wheel --no-index --no-build-isolation --no-deps -w "$folder/wheels" . >"$folder/log" 2>&1 || { cat "$folder/log" && exit 1; }
"$source/tests/venv.sh" "$python" "$folder/wheels"
