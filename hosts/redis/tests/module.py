#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The module inside real servers: what is kept, what follows, what leaks, and what is refused.
usage: module.py MODULE ULTRAFILTER [NAME...]        UF_TEST_FULL=1 for the full sizes"""
import os
import random
import subprocess
import sys
import tempfile
import time

from forge import SEED, murmur
from server import Failed, Server

MODULE, PROGRAM = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FULL = os.environ.get("UF_TEST_FULL") == "1"


def items(name, count):
    return ["%s-%d" % (name, i) for i in range(count)]


def make_key(folder, name="key"):
    path = os.path.join(folder, name)
    subprocess.run([PROGRAM, "keygen", "-o", path], check=True, stdout=subprocess.DEVNULL)
    return path


def digest(client):
    return client.ok("DEBUG", "DIGEST")


def assert_equal(want, got, what=""):
    assert want == got, "%s: %r and not %r" % (what, got, want)


def refused(reply, word):
    assert isinstance(reply, Failed) and word in str(reply), "%r does not say %s" % (reply, word)


def wait_for(condition, what, seconds=30):
    end = time.time() + seconds
    while not condition():
        assert time.time() < end, "waited in vain: " + what
        time.sleep(0.02)


def fill(client):
    """Keys of every family, with keys of all sorts of shapes."""
    client.ok("BF.RESERVE", "plain", "0.01", "1000")
    client.ok("BF.MADD", "plain", *items("p", 500))
    client.ok("BF.MADD", "grown", *items("g", 3000))  # from 100: several levels
    client.ok("BF.RESERVE", "small_rate", "0.00001", "1000")
    client.ok("BF.MADD", "small_rate", *items("s", 300))
    client.ok("CF.INSERT", "counted", "CAPACITY", "100", "ITEMS", *items("c", 500))  # grows
    client.ok("CF.DEL", "counted", "c-3")
    client.ok("UF.RESERVE", "window", "keyed(blocked:n=500,fpr=0.01,window=3)")
    client.ok("UF.MADD", "window", *items("w", 400))
    client.ok("UF.RESERVE", "tomb", "keyed(tombstone:n=500,fpr=0.01,removed=100)")
    client.ok("UF.MADD", "tomb", *items("t", 400))
    client.ok("UF.REMOVE", "tomb", *items("t", 50))
    client.ok("UF.RESERVE", "open", "bloom:n=1000,fpr=0.01")
    client.ok("UF.MADD", "open", *items("o", 500))


def check(client):
    for key, name, count in (("plain", "p", 500), ("grown", "g", 3000), ("small_rate", "s", 300)):
        assert_equal([1] * count, client.ok("BF.MEXISTS", key, *items(name, count)), key)
        assert 0.95 * count < client.ok("BF.CARD", key) <= count + 1, key
    assert sum(client.ok("BF.MEXISTS", "grown", *items("other", 2000))) < 45  # 20 expected
    found = client.ok("CF.MEXISTS", "counted", *items("c", 500))
    assert_equal(500, sum(found) + (1 - found[3]), "counted")
    assert_equal([1] * 400, client.ok("UF.MEXISTS", "window", *items("w", 400)), "window")
    assert sum(client.ok("UF.MEXISTS", "tomb", *items("t", 50))) < 10
    assert_equal([1] * 500, client.ok("UF.MEXISTS", "open", *items("o", 500)), "open")


# ---- one server ----


def test_saved_and_restored(folder):
    """RDB, AOF, its rewrite, DUMP and RESTORE, COPY: the same digests, through a restart."""
    with Server(MODULE, ultrafilter__key_file=make_key(folder), appendonly="yes") as server:
        client = server.client
        fill(client)
        before = digest(client)
        check(client)
        client.ok("DEBUG", "RELOAD")
        assert_equal(before, digest(client), "RDB")
        client.ok("DEBUG", "LOADAOF")
        assert_equal(before, digest(client), "AOF")
        client.ok("CONFIG", "SET", "aof-use-rdb-preamble", "no")
        client.ok("BGREWRITEAOF")
        wait_for(lambda: b"aof_rewrite_in_progress:0" in client.ok("INFO", "persistence"), "rewrite")
        client.ok("BF.ADD", "plain", "after")
        before = digest(client)
        server.restart()
        client = server.client
        assert_equal(before, digest(client), "rewritten AOF")
        check(client)
        for key in ("plain", "grown", "counted", "tomb", "open"):
            payload = client.ok("DUMP", key)
            client.ok("RESTORE", key + ".2", 0, payload)
            client.ok("COPY", key, key + ".3")
            values = client.ok("DEBUG", "DIGEST-VALUE", key, key + ".2", key + ".3")
            assert values[0] == values[1] == values[2], key
            assert client.ok("MEMORY", "USAGE", key) > 1000
        client.ok("UNLINK", "grown", "grown.2")


def test_pieces(folder):
    """UF.DUMP gives the program's own files, UF.LOAD takes them; SCANDUMP and LOADCHUNK as clients use them."""
    key = make_key(folder)
    with Server(MODULE, ultrafilter__key_file=key) as server:
        client = server.client
        client.ok("UF.RESERVE", "big", "keyed(blocked:n=2000000,fpr=0.01)")
        client.ok("UF.MADD", "big", *items("b", 1000))
        path = os.path.join(folder, "big.uf")
        offset, pieces = 0, 0
        with open(path, "wb") as file:
            while True:
                offset, data = client.ok("UF.DUMP", "big", offset)
                assert len(data) <= 1 << 20
                file.write(data)
                pieces += 1
                if pieces == 1:
                    client.ok("UF.ADD", "big", "meanwhile")
                if not offset:
                    break
        assert pieces > 2
        asked = subprocess.run([PROGRAM, "query", "-c", "--key-file", key, path, "-"], check=True, text=True,
                               input="\n".join(items("b", 1000) + items("x", 1000)), stdout=subprocess.PIPE).stdout
        assert 1000 <= int(asked) < 1040, asked
        whole = open(path, "rb").read()
        client.ok("UF.MADD", "big", *items("later", 10))
        offset = 0
        while offset < len(whole):
            reply = client.ok("UF.LOAD", "again", offset, whole[offset:offset + 300000])
            offset = reply if isinstance(reply, int) else len(whole)
        assert_equal("OK", reply)
        assert_equal([1] * 1000, client.ok("UF.MEXISTS", "again", *items("b", 1000)))
        refused(client("UF.LOAD", "again", 0, whole), "exists")
        assert_equal("OK", client.ok("UF.LOAD", "again", 0, whole, "REPLACE"))
        refused(client("UF.LOAD", "third", 5, whole), "order")
        damaged = bytearray(whole)
        damaged[len(damaged) // 2] ^= 1
        refused(client("UF.LOAD", "third", 0, bytes(damaged)), "ERR")
        assert_equal(0, client.ok("EXISTS", "third"))
        # a file of the program's: another key stays locked, one without a key is open
        subprocess.run([PROGRAM, "build", "-o", path + "2", "--kind", "bloom", "-n", "100", "-"], check=True,
                       input="alice\nbob\n", text=True, stdout=subprocess.DEVNULL)
        assert_equal("OK", client.ok("UF.LOAD", "file", 0, open(path + "2", "rb").read()))
        assert_equal([1, 1, 0], client.ok("UF.MEXISTS", "file", "alice", "bob", "carol"))
        client.ok("BF.MADD", "b", *items("b", 500))
        chunks, iterator = [], 0
        while True:
            iterator, data = client.ok("BF.SCANDUMP", "b", iterator)
            if not iterator:
                break
            chunks.append((iterator, data))
        for iterator, data in chunks:
            assert_equal("OK", client.ok("BF.LOADCHUNK", "b2", iterator, data))
        values = client.ok("DEBUG", "DIGEST-VALUE", "b", "b2")
        assert_equal(values[0], values[1])
        refused(client("BF.LOADCHUNK", "b3", 1, b"of another module"), "first piece")


def test_damaged(folder):
    """Payloads of RESTORE and LOADCHUNK that were altered anywhere: an error or a value that works, never an end."""
    rounds = 100000 if FULL else 2000
    draw = random.Random(7)
    with Server(MODULE, ultrafilter__key_file=make_key(folder)) as server:
        client = server.client
        client.ok("CONFIG", "SET", "sanitize-dump-payload", "no")
        client.ok("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1")
        fill(client)
        payloads = [client.ok("DUMP", key) for key in ("plain", "grown", "counted", "tomb", "open")]
        chunks = [client.ok("BF.SCANDUMP", "plain", i) for i in (0, 1)]
        loaded = 0
        for done in range(0, rounds, 100):
            commands = []
            for _ in range(100):
                payload = bytearray(draw.choice(payloads))
                for _ in range(draw.choice((1, 1, 2, 8))):
                    end = draw.choice((40, 200, len(payload)))  # the front has the figures
                    payload[draw.randrange(min(end, len(payload)))] = draw.randrange(256)
                if draw.random() < 0.2:
                    del payload[draw.randrange(len(payload)):]
                commands.append(("RESTORE", "r", 0, bytes(payload), "REPLACE"))
                commands.append(("BF.ADD", "r", "x"))
                commands.append(("UF.INFO", "r"))
            for iterator, data in chunks:
                data = bytearray(data)
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
                commands.append(("BF.LOADCHUNK", "chunk", iterator, bytes(data)))
            replies = client.many(commands)
            loaded += sum(r == "OK" for r in replies[0:300:3])
            client.ok("DEL", "chunk")
        check(client)
        assert loaded < rounds, "nothing was refused"
        assert b"ultrafilter_refused_loads:0" not in client.ok("INFO", "ultrafilter")


def test_kills(folder):
    """kill -9 with AOF always: what was acknowledged is there."""
    kills = 50 if FULL else 3
    draw = random.Random(11)
    acknowledged = []
    server = Server(MODULE, ultrafilter__key_file=make_key(folder), appendonly="yes", appendfsync="always")
    try:
        for kill in range(kills):
            client, end = server.client, time.time() + draw.uniform(0.05, 0.3)
            number = 0
            while time.time() < end:
                batch = items("k%d-%d" % (kill, number), 20)
                replies = client.many([("BF.ADD", "k", batch[0]), ("BF.MADD", "k", *batch[1:])])
                assert not any(isinstance(r, Failed) for r in replies), replies
                acknowledged += batch
                number += 1
            for item in items("u%d" % kill, 50):  # not waited for
                client.send("BF.ADD", "k", item)
            server.kill()
            server.start()
            for i in range(0, len(acknowledged), 1000):
                found = server.client.ok("BF.MEXISTS", "k", *acknowledged[i:i + 1000])
                assert all(found), "%d acknowledged items are lost" % found.count(0)
    finally:
        server.stop()


def test_leaks(folder):
    """Items and key bytes are in no log, file or stream; the control finds what a plain set leaves there."""
    key = make_key(folder)
    secrets = [b"item-that-nobody-may-see-%d" % i for i in range(20)]
    text = open(key, "rb").read().split()[1]
    key_bytes = (text, bytes.fromhex(text.decode()), text.upper())
    with Server(MODULE, ultrafilter__key_file=key, appendonly="yes", slowlog_log_slower_than="0") as server:
        with Server(MODULE, ultrafilter__key_file=key, replicaof="127.0.0.1 %d" % server.port) as replica:
            client, monitor = server.client, server.connect()
            wait_for(lambda: b"master_link_status:up" in replica.client.ok("INFO", "replication"), "link")
            monitor.ok("MONITOR")
            stream = server.connect()
            stream.send("PSYNC", "?", "-1")
            time.sleep(0.3)
            for i, item in enumerate(secrets):
                client.ok("BF.ADD", "a", item)
                client.ok("BF.MADD", "a", item + b"m", item)
                client.ok("BF.INSERT", "a", "ITEMS", item + b"i")
                client.ok("BF.EXISTS", "a", item)
                client.ok("BF.MEXISTS", "a", item)
                client.ok("CF.ADD", "c", item)
                client.ok("CF.ADDNX", "c", item + b"n")
                client.ok("CF.COUNT", "c", item)
                client.ok("CF.DEL", "c", item)
            client.ok("UF.RESERVE", "u", "keyed(counting:n=100)")
            client.ok("UF.MADD", "u", *secrets)
            client.ok("UF.REMOVE", "u", secrets[0])
            client.ok("SADD", "control", b"item-that-is-seen")
            client.ok("SAVE")
            wait_for(lambda: digest(client) == digest(replica.client), "replica follows")
            slow = repr(client.ok("SLOWLOG", "GET", "1000")).encode()
            seen = {"SLOWLOG": slow, "log": server.log().encode(), "INFO": client.ok("INFO", "everything")}
            seen["MONITOR"] = drain(monitor)
            seen["replication"] = drain(stream)
            for base in (server.folder, replica.folder):
                for where, _, names in os.walk(base):
                    for name in names:
                        seen[os.path.join(where, name)] = open(os.path.join(where, name), "rb").read()
    files = [name for name in seen if "aof" in name or name.endswith("rdb")]
    assert len(files) >= 3, files
    for name in ["MONITOR", "replication", "SLOWLOG"] + [f for f in files if "incr" in f]:
        assert b"item-that-is-seen" in seen[name], "the control is not in " + name
    for name, data in seen.items():
        assert b"item-that-nobody" not in data, "an item is in " + name
        assert not any(part in data for part in key_bytes), "the key is in " + name


def drain(client):
    client.socket.settimeout(0.5)
    data = b""
    try:
        while True:
            more = client.socket.recv(1 << 16)
            if not more:
                break
            data += more
    except OSError:
        pass
    return data


def test_replica(folder):
    """A replica has equal digests, also after a release; one without the key keeps what it cannot ask, and follows."""
    key = make_key(folder)
    with Server(MODULE, ultrafilter__key_file=key) as server:
        client = server.client
        fill(client)
        with Server(MODULE, replicaof="127.0.0.1 %d" % server.port) as replica:
            other = replica.client
            wait_for(lambda: b"master_link_status:up" in other.ok("INFO", "replication"), "link")
            client.ok("BF.MADD", "plain", *items("later", 100))
            client.ok("BF.ADD", "fresh", "x")
            client.ok("CF.DEL", "counted", "c-7")
            client.ok("UF.REMOVE", "tomb", "t-70")
            client.ok("UF.RESERVE", "exact", "bloom:n=1000,bits=16000,k=2")
            client.ok("UF.MADD", "exact", *items("e", 500))
            assert_equal("OK", client.ok("UF.RELEASE", "exact", "noisy", "EPSILON", "3"))
            client.ok("UF.RESERVE", "twin", as_spec(client, "exact"))
            client.ok("UF.MADD", "twin", *items("f", 100))
            assert_equal("OK", client.ok("UF.MERGE", "both", "exact", "twin"))
            assert_equal([1] * 600, client.ok("UF.MEXISTS", "both", *items("e", 500), *items("f", 100)))
            wait_for(lambda: digest(client) == digest(other), "equal digests")
            refused(other("BF.EXISTS", "plain", "p-1"), "LOCKED")
            refused(other("CF.COUNT", "counted", "c-1"), "LOCKED")
            assert_equal([1] * 500, other.ok("UF.MEXISTS", "open", *items("o", 500)))
            refused(other("UF.APPLY", "plain", b"0" * 16), "READONLY")
            other.ok("CONFIG", "SET", "ultrafilter.key-file", key)
            check_later = other.ok("BF.MEXISTS", "plain", *items("later", 100))
            assert_equal([1] * 100, check_later, "unlocked")
            assert_equal(digest(client), digest(other))
            refused(client("UF.APPLY", "plain", b"0" * 16), "replicas")
            refused(client("UF.PUT", "plain", b"n"), "replicas")


def as_spec(client, key):
    info = client.ok("UF.INFO", key)
    return dict(zip(info[0::2], info[1::2]))[b"spec"]


def test_listeners(folder):
    """Nobody listens, then a file, then a replica: each has every item from when it began, whatever was before."""
    with Server(MODULE, ultrafilter__key_file=make_key(folder), save="3600 1") as server:
        client = server.client
        client.ok("BF.RESERVE", "a", "0.01", "10000")
        for item in items("before", 100):
            client.ok("BF.ADD", "a", item)
        changes = int(client.ok("INFO", "persistence").split(b"rdb_changes_since_last_save:")[1].split()[0])
        assert changes > 10, changes
        client.ok("CONFIG", "SET", "appendonly", "yes")
        for item in items("file", 100):
            client.ok("BF.ADD", "a", item)
        wait_for(lambda: b"aof_rewrite_in_progress:0" in client.ok("INFO", "persistence"), "rewrite")
        with Server(MODULE, replicaof="127.0.0.1 %d" % server.port) as replica:
            for number in range(200):
                client.ok("BF.ADD", "a", "replica-%d" % number)
                time.sleep(0.002)
            wait_for(lambda: digest(client) == digest(replica.client), "replica follows")
        before = digest(client)
        client.ok("DEBUG", "LOADAOF")
        assert_equal(before, digest(client), "AOF")
    with Server(MODULE, ultrafilter__key_file=folder + "/key") as server:
        client = server.client
        client.ok("BF.RESERVE", "a", "0.01", "10000")
        client.ok("BF.MADD", "a", *items("before", 100))
        with Server(MODULE, replicaof="127.0.0.1 %d" % server.port) as replica:
            for number in range(500):
                client.ok("BF.ADD", "a", "replica-%d" % number)
                time.sleep(0.001)
            wait_for(lambda: digest(client) == digest(replica.client), "replica of a server without a file follows")


def test_keys(folder):
    """A rotation: new filters get the new key, old ones answer while the old key is there; a restart without any."""
    first, second = make_key(folder, "first"), make_key(folder, "second")
    with Server(MODULE, ultrafilter__key_file=first, appendonly="yes") as server:
        client = server.client
        client.ok("BF.ADD", "a", "x")
        client.ok("CONFIG", "SET", "ultrafilter.old-key-file", first)
        client.ok("CONFIG", "SET", "ultrafilter.key-file", second)
        client.ok("BF.ADD", "b", "x")
        assert_equal([1, 1], [client.ok("BF.EXISTS", "a", "x"), client.ok("BF.EXISTS", "b", "x")])
        assert dict_of(client, "a")[b"key_id"] != dict_of(client, "b")[b"key_id"]
        refused(client("CONFIG", "SET", "ultrafilter.key-file", folder + "/missing"), "missing")
        before = digest(client)
        del server.options["ultrafilter.key-file"]
        server.restart()
        client = server.client
        assert_equal(before, digest(client))
        refused(client("BF.EXISTS", "a", "x"), "LOCKED")
        refused(client("BF.ADD", "a", "y"), "LOCKED")
        assert_equal(1, dict_of(client, "a")[b"locked"])
        client.ok("CONFIG", "SET", "ultrafilter.key-file", second)
        refused(client("BF.EXISTS", "a", "x"), "LOCKED")
        client.ok("CONFIG", "SET", "ultrafilter.old-key-file", first)
        assert_equal([1, 1], [client.ok("BF.EXISTS", "a", "x"), client.ok("BF.EXISTS", "b", "x")])
        client.ok("CONFIG", "SET", "ultrafilter.key-file", "")
        client.ok("CONFIG", "SET", "ultrafilter.require-key", "yes")
        refused(client("BF.ADD", "new", "x"), "require-key")


def dict_of(client, key):
    info = client.ok("UF.INFO", key)
    return dict(zip(info[0::2], info[1::2]))


def test_release(folder):
    """UF.RELEASE: labels, the ledger, claims; and what must be refused."""
    with Server(MODULE, ultrafilter__key_file=make_key(folder), ultrafilter__ledger=folder + "/ledger",
                ultrafilter__ledger_budget="5") as server:
        client = server.client
        client.ok("UF.RESERVE", "e", "bloom:n=1000,bits=16000,k=2")
        client.ok("UF.MADD", "e", *items("e", 500))
        client.ok("UF.RELEASE", "e", "r1", "EPSILON", "3", "LABEL", "monday", "LEDGER")
        client.ok("UF.RELEASE", "e", "r2", "EPSILON", "3", "LABEL", "monday", "LEDGER")
        values = client.ok("DEBUG", "DIGEST-VALUE", "r1", "r2")
        assert_equal(values[0], values[1], "the same label")
        refused(client("UF.RELEASE", "e", "r3", "EPSILON", "3", "LABEL", "tuesday", "LEDGER"), "BUDGET")
        assert_equal(0, client.ok("EXISTS", "r3"))
        refused(client("UF.RELEASE", "e", "r1", "EPSILON", "3"), "exists")
        refused(client("UF.RELEASE", "e", "r4", "LABEL", "x", "LEDGER"), "EPSILON")
        refused(client("UF.RELEASE", "e", "r4", "EPSILON", "3,k=9"), "EPSILON")
        refused(client("UF.ADD", "r1", "x"), "ERR")
        claim = client.ok("UF.CLAIM", "r1")
        epsilon = float(dict(zip(claim[0::2], claim[1::2]))[b"epsilon"])
        assert 2.9 < epsilon <= 3, epsilon
        assert claim_of(client, "e")[b"epsilon"] is None


def claim_of(client, key):
    claim = client.ok("UF.CLAIM", key)
    return dict(zip(claim[0::2], claim[1::2]))


def test_forged(folder):
    """Items that RedisBloom accepts half of, blind (152 of these 300): here they are as good as any others."""
    lines = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "forged.txt")).read().split("\n")
    forged = [bytes.fromhex(line) for line in lines if line and line[0] != "#"]
    assert len(forged) == 300
    assert all(murmur(item, murmur(item, SEED)) == 0 for item in forged)
    with Server(MODULE, ultrafilter__key_file=make_key(folder)) as server:
        client = server.client
        client.ok("BF.RESERVE", "b", "0.01", "2000")
        client.ok("BF.MADD", "b", *items("b", 2000))
        accepted = sum(client.ok("BF.MEXISTS", "b", *forged))
        assert accepted <= 15, accepted  # 3 expected; above 15 in one of 10^6 runs


def test_large(folder):
    """Filters of tens of megabytes: made, dumped, merged and freed by threads, while others are served."""
    with Server(MODULE, ultrafilter__key_file=make_key(folder), appendonly="yes") as server:
        client = server.client
        before = used_memory(client)
        client.ok("UF.RESERVE", "a", "keyed(blocked:n=20000000,fpr=0.01)")
        usage = client.ok("MEMORY", "USAGE", "a")
        taken = used_memory(client) - before  # jemalloc rounds up by a quarter at most
        assert 0.98 * usage < taken < 1.26 * usage, (taken, usage)
        client.ok("UF.RESERVE", "b", as_spec(client, "a"))
        client.ok("UF.MADD", "a", *items("a", 1000))
        client.ok("UF.MADD", "b", *items("b", 1000))
        other = server.connect()
        other.send("UF.MERGE", "both", "a", "b")
        worst = 0
        for _ in range(50):
            start = time.time()
            client.ok("UF.ADD", "a", "meanwhile")
            client.ok("PING")
            worst = max(worst, time.time() - start)
        assert_equal("OK", other.read())
        assert_equal([1] * 2000, client.ok("UF.MEXISTS", "both", *items("a", 1000), *items("b", 1000)))
        assert 0.005 < float(claim_of(client, "both")[b"fpr"]) < 0.0101
        assert b"ultrafilter_background_jobs:0" not in client.ok("INFO", "ultrafilter")
        refused(client("BF.RESERVE", "huge", "0.01", "1000000000000"), "max-bytes")
        refused(client("BF.INSERT", "huge", "CAPACITY", "1000000000000", "ITEMS", "x"), "max-bytes")
        client.ok("CONFIG", "SET", "maxmemory", used_memory(client) + (1 << 20))
        client("SET", "s", b"x" * (2 << 20))
        refused(client("BF.ADD", "grows", "x"), "OOM")
        client.ok("BF.EXISTS", "grows", "x")
        client.ok("CONFIG", "SET", "maxmemory", "0")
        client.ok("UNLINK", "a", "b", "both", "s", "grows")
        wait_for(lambda: used_memory(client) < before + (4 << 20), "memory is given back")
        print("worst wait beside a union: %.1f ms" % (worst * 1e3))


def used_memory(client):
    return int(client.ok("INFO", "memory").split(b"used_memory:")[1].split()[0])


def test_surroundings(folder):
    """Events, access lists, COMMAND DOCS, INFO, configuration."""
    with Server(MODULE, ultrafilter__key_file=make_key(folder), notify_keyspace_events="KEA") as server:
        client, listener = server.client, server.connect()
        client.ok("CONFIG", "SET", "notify-keyspace-events", "KEAd")
        listener.ok("PSUBSCRIBE", "__keyevent@0__:*")
        client.ok("BF.ADD", "a", "x")
        events = [listener.read()[2] for _ in range(2)]
        assert b"__keyevent@0__:bf.add" in events, events
        client.ok("ACL", "SETUSER", "reader", "on", "nopass", "~*", "+bf.exists", "+auth")
        if b"redis_version:7.0" not in client.ok("INFO", "server"):
            client.ok("ACL", "SETUSER", "reader", "-bf.exists", "+@read")
        client.ok("AUTH", "reader", "any")
        client.ok("BF.EXISTS", "a", "x")
        refused(client("BF.ADD", "a", "y"), "NOPERM")
        client = server.connect()
        docs = client.ok("COMMAND", "DOCS", "uf.release")
        assert b"private copy" in repr(docs).encode()
        assert_equal([b"a"], client.ok("COMMAND", "GETKEYS", "BF.MADD", "a", "b", "c"))
        assert_equal([b"a", b"b", b"c"], client.ok("COMMAND", "GETKEYS", "UF.MERGE", "a", "b", "c"))
        assert b"ultrafilter_items_added:1" in client.ok("INFO", "ultrafilter")
        client.ok("CONFIG", "SET", "ultrafilter.initial-size", "5000")
        client.ok("CONFIG", "SET", "ultrafilter.error-rate", "0.001")
        refused(client("CONFIG", "SET", "ultrafilter.error-rate", "2"), "error-rate")
        client.ok("BF.ADD", "later", "x")
        assert_equal([5000], client.ok("BF.INFO", "later", "CAPACITY"))


def main():
    names = sys.argv[3:] or [name[5:] for name in globals() if name.startswith("test_")]
    for name in names:
        with tempfile.TemporaryDirectory(prefix="uf_redis_") as folder:
            start = time.time()
            globals()["test_" + name](folder)
            print("%-20s %.2f s" % (name, time.time() - start), flush=True)


main()
