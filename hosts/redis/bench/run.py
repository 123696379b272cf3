#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Commands of the module beside Redis' own, a module command that does nothing, and RedisBloom where it is given.
usage: run.py BUILD [REDISBLOOM.so]

redis-benchmark, 50 clients, 16 commands in flight each, items of 12 random digits; every command is timed in turn, ROUNDS
times, and the best of them counts. Thousands a second. The limits are module commands that open their key, for reading or
for writing, and do nothing with it."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
from server import Server  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
BLOOM = sys.argv[2] if len(sys.argv) > 2 else None
ROUNDS = int(os.environ.get("ROUNDS", "3"))
CALLS = int(os.environ.get("CALLS", "200000"))
MANY = 100
ITEM = "__rand_int__"

COMMANDS = [
    ("no-op", ["NOOP.CALL", "x", ITEM], 1),
    ("limit of EXISTS", ["NOOP.OPEN", "f", ITEM], 1),
    ("limit of ADD", ["NOOP.WRITE", "f", ITEM], 1),
    ("GETBIT", ["GETBIT", "bits", "700001"], 1),
    ("SETBIT", ["SETBIT", "bits", "700001", "1"], 1),
    ("SISMEMBER", ["SISMEMBER", "set", ITEM], 1),
    ("SADD", ["SADD", "set", ITEM], 1),
    ("BF.EXISTS", ["BF.EXISTS", "f", ITEM], 1),
    ("BF.ADD", ["BF.ADD", "f", ITEM], 1),
    ("BF.MEXISTS x100", ["BF.MEXISTS", "f"] + [ITEM] * MANY, MANY),
    ("BF.MADD x100", ["BF.MADD", "f"] + [ITEM] * MANY, MANY),
    ("CF.EXISTS", ["CF.EXISTS", "c", ITEM], 1),
    ("CF.ADD", ["CF.ADD", "c", ITEM], 1),
    ("CF.ADDNX", ["CF.ADDNX", "c", ITEM], 1),
    ("CF.COUNT", ["CF.COUNT", "c", ITEM], 1),
    ("CF.DEL", ["CF.DEL", "c", ITEM], 1),
    ("CF.MEXISTS x100", ["CF.MEXISTS", "c"] + [ITEM] * MANY, MANY),
    ("CF.INSERT x100", ["CF.INSERT", "c", "ITEMS"] + [ITEM] * MANY, MANY),
]


def measure(port, words, calls):
    command = ["redis-benchmark", "-p", str(port), "-c", "50", "-P", "16", "-n", str(calls), "-r", "1000000", "-q"]
    out = subprocess.run(command + words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return float(re.findall(r"([\d.]+) requests per second", out)[-1])


def prepare(server):
    client = server.client
    client.ok("BF.RESERVE", "f", "0.01", "1000000")
    client.ok("CF.RESERVE", "c", "2000000")
    client.ok("SETBIT", "bits", "1000000", "1")
    measure(server.port, ["BF.ADD", "f", ITEM], 2 * CALLS)  # the pages of an empty filter are one page of zeros
    measure(server.port, ["CF.ADD", "c", ITEM], 2 * CALLS)


def main():
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        key = os.path.join(folder, "key")
        subprocess.run([os.path.join(BUILD, "ultrafilter"), "keygen", "-o", key], check=True, stdout=subprocess.DEVNULL)
        noop = os.path.join(BUILD, "redis_noop.so")
        ours = Server(os.path.join(BUILD, "redis_ultrafilter.so"), ultrafilter__key_file=key, loadmodule=noop)
        servers = [("ours", ours)]
        if BLOOM:
            servers.append(("RedisBloom", Server(BLOOM)))
        try:
            for _, server in servers:
                prepare(server)
            for _ in range(ROUNDS):
                for name, words, items in COMMANDS:
                    for who, server in servers:
                        if who != "ours" and not name.startswith(("BF.", "CF.")):
                            continue
                        rate = measure(server.port, words, CALLS if items == 1 else CALLS // 20) * items / 1e3
                        best[who, name] = max(best.get((who, name), 0), rate)
        finally:
            for _, server in servers:
                server.stop()
    report(best)


def report(best):
    base = best["ours", "no-op"]
    print("%-18s %10s %12s%s" % ("items, 1000/s", "ours", "no-op / it", "   RedisBloom" if BLOOM else ""))
    for name, _, _ in COMMANDS:
        rate, other = best["ours", name], best.get(("RedisBloom", name))
        print("%-18s %10.0f %12.2f%s" % (name, rate, base / rate, "%13.0f" % other if other else ""))


main()
