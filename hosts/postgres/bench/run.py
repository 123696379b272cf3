#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times the extension in a server of its own. usage: bench/run.py MODULE LIBRARY [ROWS [PART...]]

aggregate   with 0, 1 and 2 workers, beside an empty one
join        beside the same with a filter in front, and what the planner expects
asked       a filter in a column, for each row; small values
The best of 3; all parts, unless some are named.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests"))
from server import Server  # noqa: E402

MODULE, LIBRARY = sys.argv[1:3]
ROWS = int(float(sys.argv[3])) if len(sys.argv) > 3 else 10_000_000


def timed(server, sql, workers=0, settings=""):
    """Seconds of the best of three, and its plan."""
    begin = f"set max_parallel_workers_per_gather = {workers}; set jit = off; {settings}"
    best, plan = None, ""
    for _ in range(3):
        text = server.psql("-Atq", "-c", begin, "-c", "explain (analyze, timing off) " + sql)
        seconds = float(re.search(r"Execution Time: ([0-9.]+) ms", text).group(1)) / 1000
        if best is None or seconds < best:
            best, plan = seconds, text.strip()
    return best, re.sub(r"cost=[0-9.]+ ", "", plan)


def aggregate(server):
    for workers in (0, 1, 2):
        empty, _ = timed(server, "select count(number) from big", workers)
        print(f"{workers} workers: count {empty:.2f}", end="")
        for name, sql in (("blocked int8", f"uf_build(number, 'blocked:n={ROWS},fpr=0.01')"),
                          ("blocked text", f"uf_build(word, 'blocked:n={ROWS},fpr=0.01')"),
                          ("ribbon int8", "uf_build(number, 'ribbon:fpr=0.01')")):
            seconds, plan = timed(server, f"select {sql} from big", workers)
            print(f", {name} {seconds:.2f}", end="", flush=True)
        print()
    print(plan, "\n")


def join(server):
    for name, rows, ways in (("dim", ROWS // 20, ("hash", "merge")), ("few", ROWS // 3000, ("hash",))):
        server.ask(f"create table {name} as select i::int8 as number, md5(i::text) as rest "
                   f"from generate_series({ROWS // 2}, {ROWS // 2 + rows}) i")
        server.ask(f"analyze {name}")
        plain = f"select count(*), max(b.word), max(d.rest) from big b join {name} d on d.number = b.number"
        front = f"{plain} where b.number <@ (select uf_build(number, 'blocked:fpr=0.01') from {name})"
        for how in ways:
            for title, sql in (("join", plain), ("join behind a filter", front)):
                settings = f"set work_mem = '4MB'; set enable_hashjoin = {'on' if how == 'hash' else 'off'};"
                seconds, plan = timed(server, sql, 0, settings)
                print(f"{title}, {how}, {rows + 1} rows: {seconds:.2f} s\n{plan}\n", flush=True)


def asked(server):
    server.ask("create table stored as select uf_build(number, 'blocked:fpr=0.001') as filter, 0::int8 as g from big where number <= 5000000")
    print("filter of", server.ask("select octet_length(uf_send(filter)) from stored"), "bytes")
    for name, sql in (("compared with a column", "select count(*) from big, stored where number > g"),
                      ("asked from a column", "select count(*) from big, stored where number <@ filter")):
        seconds, _ = timed(server, sql)
        print(f"{name}: {seconds:.2f} s", flush=True)
    server.ask("create table small as select number / 10 as g, uf_build(number, 'blocked:n=10,fpr=0.01') as filter from big where number < 397370 group by 1")
    print(server.ask("select count(*), pg_total_relation_size('small') from small"), "groups of ten keys, bytes of their table")


def main():
    server = Server(MODULE, LIBRARY, ["shared_buffers=1GB", "work_mem=64MB", "max_parallel_workers=2"])
    server.ask("create extension ultrafilter")
    server.ask(f"create table big as select i::int8 as number, 'user-' || i as word from generate_series(1, {ROWS}) i")
    server.ask("analyze big")
    server.ask("select sum(number) from big")
    print(f"{ROWS} rows; seconds, best of 3")
    for part in (aggregate, join, asked):
        if len(sys.argv) < 5 or part.__name__ in sys.argv[4:]:
            part(server)
    server.shut()


main()
