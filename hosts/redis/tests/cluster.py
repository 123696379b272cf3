#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ultrafilter cluster, against servers of its own: one alone, a primary with a replica, and a Redis Cluster of six.
usage: cluster.py MODULE ULTRAFILTER PAGE [NAME...]        UF_TEST_FULL=1 for the full sizes"""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import cluster_rule
from nodes import Cluster, wait_for
from server import Failed, Server, free_port

MODULE, PROGRAM, PAGE = (os.path.abspath(path) for path in sys.argv[1:4])
FULL = os.environ.get("UF_TEST_FULL") == "1"
ITEMS = 1000000 if FULL else 6000
HEADER = 4096  # of a file


def run(*words, code=0, **options):
    """What it prints; and that it ends with this code."""
    done = subprocess.run([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          **options)
    assert done.returncode == code, "%s: exit %d\n%s%s" % (words, done.returncode, done.stdout[-500:], done.stderr)
    return done.stdout if code != 2 else done.stderr


def cluster(action, name, address, *words, **options):
    return run("cluster", action, name, "--redis", address, *words, **options)


def refused(text, *words):
    assert text.startswith("ultrafilter: ") and text.count("\n") == 1, text
    for word in words:
        assert word in text, "%r does not say %s" % (text, word)


def lines(path, name, first, count):
    with open(path, "w") as file:
        file.writelines("%s-%d\n" % (name, i) for i in range(first, first + count))
    return path


class Place:
    """A folder with lists and a key."""

    def __init__(self, folder):
        self.folder = folder
        self.members = lines(self.path("members"), "item", 0, ITEMS)
        self.others = lines(self.path("others"), "other", 0, ITEMS)
        self.key = self.path("key")
        run("keygen", "-o", self.key)
        with open(self.key) as file:
            self.secret = bytes.fromhex(file.read().split()[1])

    def path(self, name):
        return os.path.join(self.folder, name)


def spec_of(name, address):
    return json.loads(cluster("info", name, address, "--json"))["spec"]


def same(first, second, start=0):
    with open(first, "rb") as a, open(second, "rb") as b:
        assert a.read()[start:] == b.read()[start:], "%s and %s differ" % (first, second)


def check_all_found(place, name, address, *words):
    assert cluster("query", name, address, "-v", place.members, *words, code=1) == ""
    strange = int(cluster("query", name, address, "-c", place.others, *words))
    assert strange < 0.02 * ITEMS + 10, strange  # 1 % expected


# ---- what goes through, on one server and on six ----


def check_round(place, address, connect):
    """create, add, query and save of a filter whose key no server has; and the rule in another language."""
    keyed = ("--key-file", place.key)
    cluster("create", "seen", address, "-n", ITEMS, "-p", "0.01", *keyed)
    assert "%d lines added" % ITEMS in cluster("add", "seen", address, *keyed, "-j1", place.members).replace(",", "")
    check_all_found(place, "seen", address, *keyed)
    about = json.loads(cluster("info", "seen", address, "--json"))
    spec = about["spec"]
    assert [part["key"] for part in about["parts"]] == [cluster_rule.part_key("seen", i, 12) for i in range(12)]
    assert all(part["slot"] == cluster_rule.slot(part["key"][1:-1]) for part in about["parts"])
    saved, built = place.path("saved.uf"), place.path("built.uf")
    cluster("save", "seen", address, "-o", saved)
    run("build", "-q", "-o", built, "--spec", spec, *keyed, place.members)
    same(saved, built, HEADER)  # where a filter that refuses has counted keys, and left out some that it took for known
    asked = [b"item-%d" % i for i in range(40)] + [b"absent-%d" % i for i in range(40)]
    want = run("query", "--answers", saved, *keyed, "-", input="\n".join(map(bytes.decode, asked)))
    want = [int(line[-1]) for line in want.splitlines()]
    assert cluster_rule.query(connect, "seen", place.secret, asked) == want and sum(want) >= 40
    # what one build makes, with a key and without one
    cluster("create", "keyed", address, "--spec", "keyed(blocked:n=%d,fpr=0.01,prf=aes,full=warn)" % ITEMS, *keyed)
    cluster("add", "keyed", address, "-q", *keyed, place.members)
    cluster("save", "keyed", address, "-q", "-o", saved)
    run("build", "-q", "-o", built, "--spec", spec_of("keyed", address), *keyed, place.members)
    same(saved, built)
    cluster("create", "plain", address, "--spec", "blocked:n=%d,fpr=0.01" % ITEMS, "--parts", "6")
    cluster("add", "plain", address, "-q", place.members)
    check_all_found(place, "plain", address)
    cluster("save", "plain", address, "-q", "-o", saved)
    run("build", "-q", "-o", built, "--spec", spec_of("plain", address), place.members)
    same(saved, built)
    # there and back, whole and in parts that were built apart
    cluster("load", "whole", address, built)
    cluster("save", "whole", address, "-o", saved)
    same(saved, built)
    parts = [place.path("part-%d.uf" % i) for i in range(4)]
    seed = "blocked:n=%d,fpr=0.01,seed=0x5eed" % ITEMS
    for i, part in enumerate(parts):
        run("build", "-q", "-o", part, "--spec", seed, "--partition", "%d/4" % i, place.members)
    cluster("load", "apart", address, *parts[:3])
    text = cluster("info", "apart", address, code=1)
    assert "3 of 4" in text and "Part 3 is missing" in text, text
    refused(cluster("query", "apart", address, place.members, code=2), "part 3 of 4 is missing")
    cluster("load", "apart", address, parts[3])
    check_all_found(place, "apart", address)
    cluster("save", "apart", address, "-o", saved)
    run("build", "-q", "-o", built, "--spec", seed + ",parts=4", place.members)
    same(saved, built)


def test_alone(folder):
    """One server that is no cluster, and everything that is refused."""
    place = Place(folder)
    with Server(MODULE, appendonly="yes") as server:
        address = "127.0.0.1:%d" % server.port
        check_round(place, address, lambda slot: server.client)
        check_output(place, address)
        check_refusals(place, address, server)
        check_commands(server, place)
        with open(os.path.join(server.folder, "appendonlydir", "appendonly.aof.1.incr.aof"), "rb") as file:
            kept = file.read()
        assert b"item-1" not in kept and place.secret not in kept and b"{seen/0/" in kept


def check_output(place, address):
    """The forms of query."""
    keyed = ("--key-file", place.key)
    ask = ("query", "seen", address, *keyed)
    assert cluster(*ask, "-e", "item-1", "-e", "item-2") == "item-1\nitem-2\n"
    assert cluster(*ask, "--answers", "-", input="item-7\nnobody\n") == "item-7\t1\nnobody\t0\n"
    assert cluster(*ask, "-q", "-e", "nobody", code=1) == "" and cluster(*ask, "-q", "-e", "item-1") == ""
    assert json.loads(cluster(*ask, "--json", "-e", "item-1", "-e", "nobody")) == {"queried": 2, "found": 1}
    assert cluster(*ask, "--column", "name", "-", input="id,name\n1,item-3\n2,nobody\n") == "1,item-3\n"
    cluster("create", "news", address, "-n", "100", "-p", "0.0001", "--lowercase", "--trim")
    assert cluster("add", "news", address, "--new", "-", input="Ann\nBen\n") == "Ann\nBen\n"
    assert cluster("add", "news", address, "--new", "-", input=" BEN\nCem\n") == "Cem\n"
    assert json.loads(cluster("add", "news", address, "--json", "-e", "ann"))["new"] == 0
    assert cluster("query", "news", address, "-c", "-e", "CEM") == "1\n"


def check_refusals(place, address, server):
    """Whole sentences, and exit 2."""
    keyed, client = ("--key-file", place.key), server.client
    other = place.path("other.key")
    run("keygen", "-o", other)
    refused(cluster("query", "seen", address, "-e", "x", code=2), "is keyed", "--key-file")
    refused(cluster("query", "seen", address, "-e", "x", "--key-file", other, code=2), "another one")
    refused(cluster("query", "nobody", address, "-e", "x", code=2), "no such filter")
    refused(cluster("create", "seen", address, "-n", "10", code=2), "already", "--overwrite")
    refused(cluster("create", "a{b", address, "-n", "10", code=2), "brace")
    refused(cluster("create", "large", address, "-n", "1e9", "--parts", "2", code=2), "--part-bytes", "64.0 MiB")
    refused(cluster("create", "large", address, "-n", "1e9", "--part-bytes", "1e9", code=2), "268435456")
    refused(cluster("create", "large", address, "--spec", "bloom:n=5", code=2), "blocked")
    refused(cluster("info", "seen", address, "--parts", "3", code=2), "not for 'cluster info'")
    refused(cluster("query", "seen", "127.0.0.1:%d" % free_port(), "-e", "x", code=2), "Connection refused")
    refused(cluster("query", "seen", "nowhere:", "-e", "x", code=2), "HOST:PORT")
    # a filter that is full
    cluster("create", "small", address, "-n", "100", "-p", "0.01", *keyed)
    refused(cluster("add", "small", address, *keyed, place.members, code=2), "full", "refused")
    # what others put in the place of a part, or of what describes the filter
    key = cluster_rule.part_key("plain", 2, 6)
    client.ok("RENAME", key, "kept")
    refused(cluster("add", "plain", address, "-e", "x", code=2), "part 2 of 6 is missing")
    client.ok("COPY", cluster_rule.part_key("plain", 3, 6), key)
    refused(cluster("query", "plain", address, "-e", "x", code=2), "not part 2")
    assert "Part 2 is wrong" in cluster("info", "plain", address, code=1)
    client.ok("SET", key, "text")
    refused(cluster("query", "plain", address, "-e", "x", code=2), "no filter")
    client.ok("RENAME", "kept", key)
    check_all_found(place, "plain", address)
    client.ok("HSET", "plain", "ultrafilter-cluster", "2")
    refused(cluster("query", "plain", address, "-e", "x", code=2), "another version", "layout 2")
    client.ok("SET", "text", "x")
    refused(cluster("query", "text", address, "-e", "x", code=2), "something else")
    cluster("create", "seen", address, "-n", "1000", "-p", "0.01", "--overwrite", "-q")
    assert cluster("query", "seen", address, "-c", place.members, code=1) == "0\n"
    check_interrupted(address, server)
    check_password(place, server)


def check_interrupted(address, server):
    """Ctrl-C in the middle of create: nothing is left of it."""
    client = server.client
    before = client.ok("DBSIZE")
    process = subprocess.Popen([PROGRAM, "cluster", "create", "long", "--redis", address, "-n", "1e6", "--parts", "1500"])
    wait_for(lambda: client.ok("DBSIZE") > before, "the first parts")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == -signal.SIGINT
    assert client.ok("DBSIZE") == before, "parts were left"


def check_password(place, server):
    address, client = "127.0.0.1:%d" % server.port, server.client
    client.ok("ACL", "SETUSER", "ann", "on", ">word", "~*", "+@all")
    client.ok("CONFIG", "SET", "requirepass", "secret")
    client.ok("AUTH", "secret")
    ask = ("query", "plain2", address, "-e", "x")
    refused(cluster(*ask, code=2), "NOAUTH")
    for password, word in (("secret\n", "no such filter"), ("wrong\n", "WRONGPASS")):
        with open(place.path("password"), "w") as file:
            file.write(password)
        refused(cluster(*ask, "--password-file", place.path("password"), code=2), word)
    refused(cluster(*ask, "--user", "ann", code=2, env={**os.environ, "REDISCLI_AUTH": "word"}), "no such filter")
    refused(cluster(*ask, "--user", "ann", code=2), "password")
    asks = ["+hgetall", "+uf.info", "+uf.dexists", "+asking", "+cluster|slots", "+role"]
    client.ok("ACL", "SETUSER", "ben", "on", ">word", "~*", *asks)
    own = ("--user", "ben", "--password-file", place.path("password"), "-e", "x")
    with open(place.path("password"), "w") as file:
        file.write("word\n")
    assert cluster("query", "news", address, *own, code=1) == ""
    refused(cluster("add", "news", address, *own, code=2), "NOPERM")
    client.ok("ACL", "SETUSER", "ben", "+uf.dadd", "+wait")
    cluster("add", "news", address, *own)
    client.ok("CONFIG", "SET", "requirepass", "")


def check_commands(server, place):
    """UF.DADD and UF.DEXISTS themselves."""
    client = server.client
    client.ok("UF.RESERVE", "own", "blocked:n=1000,fpr=0.001,seed=0x5eed")
    spec = "blocked:seed=0x5eed"
    digests = [cluster_rule.item_digest(spec, b"", b"key-%d" % i)[0] for i in range(20)]
    assert client.ok("UF.DADD", "own", b"".join(digests[:10])) == b"1" * 10
    assert client.ok("UF.DADD", "own", b"".join(digests[5:12])) == b"0000011"
    assert client.ok("UF.DEXISTS", "own", b"".join(digests[:12])) == b"\xff\xf0"
    assert client.ok("UF.MEXISTS", "own", "key-1", "key-11", "key-12") == [1, 1, 0]
    assert client.ok("UF.DEXISTS", "own", b"") == b"" and client.ok("UF.DADD", "own", b"") == b""
    for command in ("UF.DADD", "UF.DEXISTS"):
        for blob, word in ((b"x" * 17, "multiple"), (bytes(16 * 16385), "16384")):
            reply = client(command, "own", blob)
            assert isinstance(reply, Failed) and word in str(reply), reply
        assert str(client(command, "nothing", bytes(16))) == "ERR not found"
        assert len(client.ok(command, "own", bytes(16 * 16384))) == (16384 if command == "UF.DADD" else 2048)
    assert b"digests" in repr(client.ok("COMMAND", "DOCS", "uf.dadd")).encode()
    assert client.ok("COMMAND", "GETKEYS", "UF.DEXISTS", "own", "x") == [b"own"]


# ---- TLS ----


def make_certificates(folder):
    """An authority, a certificate of it, and another authority."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    for name in ("ca", "stranger"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                name + ".key", "-out", name + ".pem", "-subj", "/CN=" + name, "-days", "2")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "server.key", "-out",
            "server.csr", "-subj", "/CN=localhost")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
            "server.pem", "-days", "2")


def test_tls(folder):
    """With the right authority, another one, and without a certificate of our own where one is asked for."""
    if not shutil.which("openssl"):
        print("openssl is not here: left out")
        return
    make_certificates(folder)
    path = lambda name: os.path.join(folder, name)
    port = free_port()
    with Server(MODULE, tls_port=port, tls_cert_file=path("server.pem"), tls_key_file=path("server.key"),
                tls_ca_cert_file=path("ca.pem"), tls_auth_clients="optional") as server:
        address = "127.0.0.1:%d" % port
        own = ("--tls", "--cacert", path("ca.pem"))
        cluster("create", "t", address, "-n", "1000", "-p", "0.01", *own)
        members = lines(path("members"), "item", 0, 1000)
        cluster("add", "t", address, *own, members)
        assert cluster("query", "t", address, "-v", *own, members, code=1) == ""
        refused(cluster("query", "t", address, "--tls", "--cacert", path("stranger.pem"), "-e", "x", code=2), address,
                "certificate")
        refused(cluster("query", "t", address, "--tls", "-e", "x", code=2), "--cacert")
        refused(cluster("query", "t", address, "-e", "x", code=2, timeout=30), address)
        server.client.ok("CONFIG", "SET", "tls-auth-clients", "yes")
        refused(cluster("query", "t", address, *own, "-e", "x", code=2), address)
        cluster("query", "t", address, *own, "--cert", path("server.pem"), "--tls-key", path("server.key"), "-c", members)


# ---- servers that lie ----


class Liar:
    """Speaks the protocol, and says anything."""

    def __init__(self, draw):
        self.draw, self.socket = draw, socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                connection = self.socket.accept()[0]
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()
        except OSError:
            return

    def serve(self, connection):
        try:
            with connection, connection.makefile("rb") as file:
                while True:
                    count = int(file.readline()[1:])
                    words = [file.read(int(file.readline()[1:]) + 2)[:-2] for _ in range(count)]
                    connection.sendall(self.reply(words))
        except (OSError, ValueError):
            return

    def value(self, depth=0):
        """A reply of any type."""
        draw = self.draw
        kind = draw.choice("+-:$*$-+" if depth < 3 else "+-:$")
        words = ("", "master", "1", "spec", "MOVED 5 127.0.0.1:%d" % self.port, "ASK 5 :%d" % self.port, "MOVED", "ASK x y",
                 "TRYAGAIN", "LOADING", "blocked:n=1,seed=0x5", "-1", "99999999999999999999", "x" * 600, "0/12", "cluster "
                 "support disabled", "?", "MOVED 99999 %s:1" % ("h" * 300), "ERR not found", "CLUSTERDOWN")
        if kind in "+-":
            return "%s%s\r\n" % (kind, draw.choice(words))
        if kind == ":":
            return ":%d\r\n" % draw.choice((0, 1, -1, 5460, 16383, 1 << 40, self.port))
        if kind == "$":
            word = draw.choice(words)
            return draw.choice(("$-1\r\n", "$%d\r\n%s\r\n" % (len(word), word)))
        count = draw.choice((-1, 0, 1, 2, 3, 4))
        return "*%d\r\n" % count + "".join(self.value(depth + 1) for _ in range(count))

    def reply(self, words):
        draw, name = self.draw, words[0].upper()
        if draw.random() < 0.15:
            return self.value().encode()
        if draw.random() < 0.02:
            return bytes(draw.randrange(256) for _ in range(30))
        if name == b"CLUSTER":
            return b"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:%d\r\n" % self.port
        if name == b"HGETALL":
            pairs = ("ultrafilter-cluster", "1", "spec", "blocked:n=1000,fpr=0.01,bits=12288,k=8,seed=0x0000000000000005",
                     "parts", draw.choice(("3", "3", "3", "40", "0", "x")), "key_id", "", "normal", "0")
            return "*10\r\n".encode() + "".join("$%d\r\n%s\r\n" % (len(p), p) for p in pairs).encode()
        if name == b"UF.INFO":
            part = words[1].split(b"/")[1].decode()
            spec = "blocked:n=1000,fpr=0.01,bits=12288,k=8,seed=0x0000000000000005,part=%s/3" % part
            return ("*4\r\n$4\r\nspec\r\n$%d\r\n%s\r\n$6\r\nkey_id\r\n$0\r\n\r\n" % (len(spec), spec)).encode()
        if name in (b"UF.DADD", b"UF.DEXISTS"):
            size = len(words[2]) // 16
            size = size if name == b"UF.DADD" else (size + 7) // 8
            return b"$%d\r\n%s\r\n" % (size, bytes(draw.choice(b"10-p\xff\0") for _ in range(size)))
        return self.value().encode()


def test_liars(folder):
    """Replies of any shape: a sentence or an answer, never a crash or a hang."""
    draw, codes = random.Random(5), {}
    members = lines(os.path.join(folder, "members"), "item", 0, 50)
    for number in range(1000 if FULL else 50):
        liar = Liar(random.Random(draw.random()))
        action = draw.choice((("query", "-c", members), ("add", members), ("info",), ("save", "-o", members + ".uf"),
                              ("create", "-n", "1000", "--overwrite"), ("info", "--json")))
        words = [PROGRAM, "cluster", action[0], "seen", "--redis", "127.0.0.1:%d" % liar.port, "--wait", "0", *action[1:]]
        done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
        liar.socket.close()
        assert done.returncode in (0, 1, 2), "%d: %s: exit %d\n%s" % (number, words, done.returncode, done.stderr)
        assert done.returncode != 2 or done.stderr.startswith(b"ultrafilter: "), (words, done.stderr)
        codes[done.returncode] = codes.get(done.returncode, 0) + 1
    assert len(codes) > 1 and codes[2] > 10, codes
    print("exit statuses:", codes)


# ---- trouble ----


class Program(threading.Thread):
    """The program, fed by a thread; it ends with the test, whatever happens."""

    def __init__(self, *words):
        super().__init__(daemon=True)
        self.process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.ends = False

    def finish(self):
        """What it printed. No error came."""
        self.ends = True
        self.join(120)
        out, error = self.process.communicate(timeout=120)
        assert self.process.returncode == 0 and not error, "exit %d: %s" % (self.process.returncode, error)
        return out

    def __enter__(self):
        if type(self) is not Program:
            self.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.process.kill()
        self.process.wait()


class Asker(Program):
    """cluster query, which is asked on and on for members and others, and must be right about members."""

    def __init__(self, name, address, members, *words):
        super().__init__("cluster", "query", name, "--redis", address, "--answers", *words, "-")
        self.members, self.rounds, self.missed, self.slowest = members, 0, [], 0.0

    def run(self):
        step = min(500, len(self.members))
        while not self.ends:
            at = self.rounds * step % len(self.members)
            asked = self.members[at:at + step]
            start = time.time()
            try:
                self.process.stdin.write("".join(item + "\n" for item in asked))
                self.process.stdin.flush()
                for item in asked:
                    if self.process.stdout.readline() != item + "\t1\n":
                        self.missed.append(item)
            except BrokenPipeError:
                return
            self.slowest = max(self.slowest, time.time() - start)
            self.rounds += 1
            time.sleep(0.01)

    def stop(self):
        self.finish()
        assert not self.missed, "%d false negatives, the first is %s" % (len(self.missed), self.missed[0])
        return self.rounds


class Adder(Program):
    """cluster add, of more and more items."""

    def __init__(self, name, address, prefix, *words):
        super().__init__("cluster", "add", name, "--redis", address, *words, "-")
        self.prefix, self.items = prefix, []

    def run(self):
        while not self.ends:
            batch = ["%s-%d" % (self.prefix, len(self.items) + i) for i in range(200)]
            try:
                self.process.stdin.write("".join(item + "\n" for item in batch))
                self.process.stdin.flush()
            except BrokenPipeError:
                return
            self.items += batch
            time.sleep(0.01)

    def stop(self):
        """All items, which must be there now."""
        out = self.finish()
        assert "%d lines added" % len(self.items) in out.replace(",", ""), out
        return self.items


def check_items(name, address, items, *words):
    missed = cluster("query", name, address, "-v", *words, "-", input="".join(i + "\n" for i in items), code=1)
    assert missed == "", "%d of %d items are lost" % (missed.count("\n"), len(items))


def test_replica(folder):
    """A primary that dies in the middle of an add; its replica is promoted by hand. What add reported is there."""
    place = Place(folder)
    primary = Server(MODULE)
    with Server(MODULE, replicaof="127.0.0.1 %d" % primary.port) as replica:
        try:
            both = "127.0.0.1:%d,127.0.0.1:%d" % (primary.port, replica.port)
            wait_for(lambda: b"master_link_status:up" in replica.client.ok("INFO", "replication"), "link")
            wait_for(lambda: len(primary.client.ok("ROLE")[2]) == 1, "replica is known")
            cluster("create", "r", both, "-n", 3 * ITEMS, "-p", "0.01", "--full", "warn", "--key-file", place.key)
            cluster("add", "r", both, "--key-file", place.key, place.members)
            with Adder("r", both, "more", "--key-file", place.key) as adder:
                time.sleep(0.3)
                primary.kill()
                time.sleep(0.5)  # further threads begin meanwhile
                replica.client.ok("REPLICAOF", "NO", "ONE")
                time.sleep(0.3)
                items = adder.stop()
            check_items("r", both, items, "--key-file", place.key)
            assert cluster("query", "r", both, "-v", place.members, "--key-file", place.key, code=1) == ""
            # a number of replicas that is not there is an error, and not a promise
            text = cluster("add", "r", both, "--replicas", "1", "--wait", "1", "-e", "x", "--key-file", place.key, code=2)
            refused(text, "replicas", "1 s")
        finally:
            primary.stop()


def test_acknowledged(folder):
    """A replica that stands still, and a primary that dies. What add reported is there; with --replicas 0, the control,
    it is not. More than the buffers between the two servers hold, so at full size only."""
    if not FULL:
        print("left out: UF_TEST_FULL=1 runs it")
        return
    place = Place(folder)
    for control in (True, False):
        primary = Server(MODULE)
        with Server(MODULE, replicaof="127.0.0.1 %d" % primary.port) as replica:
            try:
                both = "127.0.0.1:%d,127.0.0.1:%d" % (primary.port, replica.port)
                wait_for(lambda: b"master_link_status:up" in replica.client.ok("INFO", "replication"), "link")
                wait_for(lambda: len(primary.client.ok("ROLE")[2]) == 1, "replica is known")
                cluster("create", "r", both, "-n", 5 * ITEMS, "-p", "0.01")
                words = ("--replicas", "0") if control else ()
                replica.process.send_signal(signal.SIGSTOP)
                more = lines(place.path("more"), "more", 0, 4 * ITEMS)
                with Program("cluster", "add", "r", "--redis", both, "-q", *words, more) as adder:
                    time.sleep(5)
                    assert (adder.process.poll() is not None) == control, "add does not wait for the replica"
                    primary.kill()
                    replica.process.send_signal(signal.SIGCONT)
                    replica.client.ok("REPLICAOF", "NO", "ONE")
                    assert adder.process.wait(120) == 0
                missed = int(cluster("query", "r", both, "-v", "-c", place.path("more"), code=0 if control else 1))
                assert (missed > 0) == control, "%d keys are lost" % missed
                print("%d of %d lost %s" % (missed, 4 * ITEMS, "without waiting" if control else "of those reported"))
            finally:
                replica.process.send_signal(signal.SIGCONT)
                primary.stop()


def move_parts(nodes, name, parts, pause):
    """Every part of a filter to the next master."""
    masters = nodes.masters()
    for index in range(parts):
        slot = cluster_rule.slot(cluster_rule.part_tag(name, index, parts))
        here = masters.index(nodes.owner(slot))
        nodes.move_slot(slot, masters[(here + 1) % len(masters)], pause)


def break_things(nodes):
    move_parts(nodes, "seen", 12, 0.01)
    move_parts(nodes, "grows", 12, 0.01)
    for turn in range(5 if FULL else 1):
        nodes.fail_over(nodes.masters()[(turn + 1) % 3])
        nodes.settle()
        victim = nodes.masters()[turn % 3]  # first the one whose address was given
        nodes.kill(victim)
        time.sleep(0.3)
        if FULL:
            nodes.revive(victim)


def test_six(folder):
    """Three masters and their replicas: the same as on one server; then failovers and moves in the middle of queries and
    adds."""
    place = Place(folder)
    keyed = ("--key-file", place.key)
    with Cluster(MODULE) as nodes:
        address = nodes.address()
        check_round(place, address, lambda slot: nodes.owner(slot).client)
        masters = json.loads(cluster("info", "seen", address, "--json"))["masters"]
        assert [m["parts"] for m in masters] == [4, 4, 4] and [m["replicas"] for m in masters] == [1, 1, 1], masters
        with open(place.members) as file:
            members = file.read().split()
        cluster("create", "grows", address, "-n", 3000000, "-p", "0.001", *keyed)
        seeds = nodes.address()  # one, which is enough: it tells of the others
        with Asker("seen", seeds, members, *keyed) as asker, Adder("grows", seeds, "more", *keyed) as adder:
            break_things(nodes)
            items = adder.stop()
            assert asker.stop() > 5
        living = nodes.address()
        check_items("grows", living, items, *keyed)
        check_all_found(place, "seen", living, *keyed)
        cluster("info", "grows", living)
        print("%d rounds of queries, the slowest took %.2f s; %d items added" % (asker.rounds, asker.slowest, len(items)))
        if FULL:
            grow(nodes, place, members, keyed)


def grow(nodes, place, members, keyed):
    """From three to six masters: whole parts move, half of each master's."""
    address = nodes.address()
    before = place.path("before.uf")
    cluster("save", "seen", address, "-o", before)
    old = nodes.masters()
    with Asker("seen", address, members, *keyed) as asker:
        new = nodes.grow(3)
        for index in range(12):
            slot = cluster_rule.slot(cluster_rule.part_tag("seen", index, 12))
            if index % 2:
                nodes.move_slot(slot, new[index // 4], 0.01)
        asker.stop()
    masters = json.loads(cluster("info", "seen", address, "--json"))["masters"]
    assert sum(m["parts"] for m in masters) == 12 and len([m for m in masters if m["parts"]]) >= len(old) + 3, masters
    cluster("save", "seen", address, "-o", place.path("after.uf"))
    same(before, place.path("after.uf"))


def test_page(folder):
    """Vectors of the page, by the rule in another language."""
    print(cluster_rule.check_page(PAGE), "vectors")


def main():
    if "without hiredis" in subprocess.run([PROGRAM, "cluster", "info", "x"], stderr=subprocess.PIPE, text=True).stderr:
        print("the program was built without hiredis")
        sys.exit(77)
    names = sys.argv[4:] or [name[5:] for name in globals() if name.startswith("test_")]
    for name in names:
        with tempfile.TemporaryDirectory(prefix="uf_cluster_") as folder:
            start = time.time()
            globals()["test_" + name](folder)
            print("%-20s %.2f s" % (name, time.time() - start), flush=True)


main()
