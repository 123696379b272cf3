#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One filter over three masters, through the command line: how long it takes to load, to add and to ask, what memory the
masters need, and how long others wait meanwhile.
usage: cluster.py BUILD [BIG.uf]        KEYS=1e9 keys of the filter, ASKED=1e7 that are added and asked for

The filter of KEYS keys is built offline from the numbers 1 to KEYS, unless a file that was is given. The keys that are
added and asked for are others, so that half of those that are asked for are in it."""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
from nodes import Cluster  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
PROGRAM = os.path.join(BUILD, "ultrafilter")
BIG = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
KEYS, ASKED = int(float(os.environ.get("KEYS", "1e9"))), int(float(os.environ.get("ASKED", "1e7")))
PARTS = 24


class Others(threading.Thread):
    """Somebody else, who pings a master a thousand times a second."""

    def __init__(self, node):
        super().__init__(daemon=True)
        self.client, self.ends, self.waits = node.connect(), False, []
        self.start()

    def run(self):
        while not self.ends:
            start = time.time()
            self.client.ok("PING")
            self.waits.append(time.time() - start)
            time.sleep(0.001)

    def stop(self):
        self.ends = True
        self.join()
        self.waits.sort()
        return "%.1f / %.1f ms" % (self.waits[len(self.waits) * 99 // 100] * 1e3, self.waits[-1] * 1e3)


def timed(what, keys, node, *words, **options):
    others = Others(node)
    start = time.time()
    out = subprocess.run([PROGRAM, *words], check=True, stdout=subprocess.PIPE, text=True, **options).stdout.strip()
    seconds = time.time() - start
    rate = "%10.2f million/s" % (keys / seconds / 1e6) if keys else " " * 20
    print("%-24s %8.1f s %s   others wait (99 %% / longest) %s" % (what, seconds, rate, others.stop()), flush=True)
    return out


def server_times(node):
    """Microseconds that commands took inside a server, half of them and 99.9 %."""
    for line in node.client.ok("INFO", "latencystats").decode().splitlines():
        for command in ("uf.load", "uf.dadd", "uf.dexists"):
            if line.startswith("latency_percentiles_usec_%s:" % command):
                figures = dict(word.split("=") for word in line.split(":")[1].split(","))
                print("%-24s %8s us, 99.9 %% below %s us" % (command, figures["p50"], figures["p99.9"]))


def build(folder):
    path = os.path.join(folder, "big.uf")
    start = time.time()
    numbers = subprocess.Popen(["seq", str(KEYS)], stdout=subprocess.PIPE)
    spec = "blocked:n=%d,fpr=0.01,parts=%d" % (KEYS + ASKED, PARTS)
    subprocess.run([PROGRAM, "build", "-q", "-o", path, "--spec", spec, "-"], check=True, stdin=numbers.stdout)
    print("%-24s %8.1f s" % ("built offline", time.time() - start), flush=True)
    return path


def lists(folder):
    """ASKED new keys, and a list of which half are new and half are numbers of the filter."""
    added, asked = os.path.join(folder, "added"), os.path.join(folder, "asked")
    with open(added, "w") as file:
        subprocess.run(["seq", "-f", "new-%.0f", str(ASKED)], check=True, stdout=file)
    with open(asked, "w") as file:
        subprocess.run(["seq", str(ASKED // 2)], check=True, stdout=file)
        subprocess.run(["seq", "-f", "absent-%.0f", str(ASKED // 2)], check=True, stdout=file)
    return added, asked


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = BIG or build(folder)
        added, asked = lists(folder)
        with Cluster(os.path.join(BUILD, "redis_ultrafilter.so"), 3, 0, timeout_ms=15000) as nodes:
            there, first = ("--redis", nodes.address()), nodes.nodes[0]
            timed("create, empty", 0, first, "cluster", "create", "empty", *there, "-n", str(KEYS), "-p", "0.01")
            for node in nodes.nodes:
                node.client.ok("FLUSHALL")
            timed("load", 0, first, "cluster", "load", "big", "--parts", str(PARTS), *there, path)
            timed("add", ASKED, first, "cluster", "add", "big", *there, added)
            found = timed("query", ASKED, first, "cluster", "query", "-c", "big", *there, asked)
            print("found %s of %d; %d and 1 %% of as many are expected" % (found, ASKED, ASKED // 2))
            info = json.loads(subprocess.run([PROGRAM, "cluster", "info", "--json", "big", *there], check=True,
                                             stdout=subprocess.PIPE).stdout)
            server_times(first)
            for node, master in zip(nodes.nodes, info["masters"]):
                used = int(node.client.ok("INFO", "memory").split(b"used_memory:")[1].split()[0])
                print("master: %d parts, %.0f MiB of parts, %.0f MiB used" % (master["parts"], master["memory"] / 2**20,
                                                                             used / 2**20))


main()
