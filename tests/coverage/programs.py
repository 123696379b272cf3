#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The programs of a build folder that tests run, built or not: what ctest was told, of the tests that it selects.

usage: ctest ... --show-only=json-v1 | programs.py BUILD
"""
import json
import os
import pathlib
import re
import sys

selected = {test["name"] for test in json.load(sys.stdin)["tests"]}
programs = set()
for file in pathlib.Path(sys.argv[1]).rglob("CTestTestfile.cmake"):
    for name, words in re.findall(r"^add_test\((?:\[=\[)?([^\]\s]+)(?:\]=\])? (.*)\)$", file.read_text(), re.M):
        if name in selected:
            programs.update(os.path.basename(word) for word in re.findall(r'"([^"]*)"', words)
                            if os.path.dirname(word) == sys.argv[1] and "." not in os.path.basename(word))
print(" ".join(sorted(programs)))
