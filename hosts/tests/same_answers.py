#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One .uf file built by the shell gives the same answers everywhere: the program, a C program, PostgreSQL, SQLite, Python.

Half of the keys are members; one in twenty of the others is taken for one, and it has to be the same ones everywhere.
A new host is one function below that takes the filter, the list of keys (a file, one a line) and gives back a text of
0 and 1, a line for each key; `expected` is what the program says.

usage: same_answers.py BUILD [KEYS]        default 100000, 1000000 with UF_TEST_FULL=1
"""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "postgres", "tests"))
from server import Server  # noqa: E402

build = os.path.abspath(sys.argv[1])
full = os.environ.get("UF_TEST_FULL")
count = int(float(sys.argv[2])) if len(sys.argv) > 2 else 1_000_000 if full else 100_000


def run(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **more).stdout.decode()


def ask_program(uf, keys):
    found = set(run(f"{build}/ultrafilter", "query", uf, keys).splitlines())
    with open(keys) as lines:
        return "".join("1\n" if line.rstrip("\n") in found else "0\n" for line in lines)


def ask_c(uf, keys):
    with open(keys) as lines:
        return run(f"{build}/hosts_ask", uf, stdin=lines)


def ask_postgres(uf, keys):
    """In a server of its own; None where there is none."""
    try:
        server = Server(f"{build}/ultrafilter_postgres.so", f"{build}/libultrafilter.so")
    except (SystemExit, FileNotFoundError):
        return None
    copy = shutil.copy(uf, server.root)
    server.hand_over(copy)
    script = f"""create extension ultrafilter;
create table filters as select pg_read_binary_file('{copy}')::ultrafilter as filter;
create unlogged table keys(number serial, key text);
\\copy keys(key) from '{keys}' (format csv, delimiter E'\\x01', quote E'\\x02')
select (key <@ filter)::int from keys, filters order by number;
"""
    answers = server.psql("-Atq", "-v", "ON_ERROR_STOP=1", sql=script)
    server.stop()
    return answers


def ask_sqlite(uf, keys):
    script = f""".load {build}/sqlite_ultrafilter.so
create table keys(key text);
.mode list
.separator "\\001" "\\n"
.import {keys} keys
.output /dev/null
select uf_open('f', '{uf}');
.output stdout
select uf_query('f', key) from keys order by rowid;
"""
    return run("sqlite3", ":memory:", input=script.encode())


def ask_python(uf, keys):
    program = ("import sys, ultrafilter\n"
               "f = ultrafilter.Filter.load(sys.argv[1])\n"
               "lines = open(sys.argv[2]).read().splitlines()\n"
               "many = f.query(lines)\n"
               "assert list(many[:2000]) == [k in f for k in lines[:2000]]\n"
               "sys.stdout.write(''.join('1\\n' if one else '0\\n' for one in many))\n")
    return run("/usr/bin/python3", "-c", program, uf, keys, env={**os.environ, "PYTHONPATH": f"{build}/python/site"})


HOSTS = {"c": (ask_c, "hosts_ask"), "postgres": (ask_postgres, "ultrafilter_postgres.so"), "sqlite": (ask_sqlite, "sqlite_ultrafilter.so"),
         "python": (ask_python, "python/site/ultrafilter")}

with tempfile.TemporaryDirectory() as folder:
    uf, keys, members = (os.path.join(folder, name) for name in ("f.uf", "keys.txt", "members.txt"))
    lines = [f"key-{i * 2654435761 % 2**32:08x}-ü" if i % 3 else f"{i}" for i in range(count)]
    with open(keys, "w") as file:
        file.write("".join(line + "\n" for line in lines))
    with open(members, "w") as file:
        file.write("".join(line + "\n" for line in lines[::2]))
    run(f"{build}/ultrafilter", "build", "-q", "-o", uf, "--spec", f"blocked:n={count // 2},fpr=0.05,seed=0x1", members)
    expected = ask_program(uf, keys)
    ones = expected.count("1")
    assert count * 0.515 < ones < count * 0.535, ones  # half are members, and a twentieth of the others
    failed = False
    for name, (ask, needs) in HOSTS.items():
        if not os.path.exists(os.path.join(build, needs)):
            print(f"{name}: not built, left out")
            continue
        answers = ask(uf, keys)
        if answers is None:
            print(f"{name}: there is no server, left out")
            continue
        same = answers == expected
        print(f"{name}: {count} keys, {ones} found, {'the same answers' if same else 'OTHER ANSWERS'}")
        failed |= not same
sys.exit(failed)
