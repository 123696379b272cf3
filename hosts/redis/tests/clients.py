#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""RedisBloom's clients, unchanged: python3-redis, and node-redis where its packages are.
usage: clients.py MODULE ULTRAFILTER [FOLDER-WITH-NODE-MODULES]"""
import os
import subprocess
import sys
import tempfile

from server import Server

try:
    import redis
except ImportError:
    print("python3-redis is not here")
    sys.exit(77)


def with_python(port, count):
    client = redis.Redis(port=port)
    bf, cf = client.bf(), client.cf()
    assert bf.create("b", 0.01, 1000)
    assert bf.add("b", "one") == 1 and bf.add("b", "one") == 0
    assert bf.madd("b", "one", "two") == [0, 1]
    assert bf.insert("i", ["x", "y"], capacity=500, error=0.001, expansion=2) == [1, 1]
    assert bf.exists("b", "two") == 1 and bf.mexists("b", "one", "no") == [1, 0]
    info = bf.info("b")
    assert (info.capacity, info.filterNum, info.insertedNum, info.expansionRate) == (1000, 1, 2, 2)
    iterator, chunks = 0, []
    while True:
        iterator, data = scan(client, iterator)
        if not iterator:
            break
        chunks.append((iterator, data))
    for iterator, data in chunks:
        assert bf.loadchunk("copy", iterator, data)
    assert bf.mexists("copy", "one", "two", "no") == [1, 1, 0]
    assert cf.create("c", 1000)
    assert cf.add("c", "one") == 1 and cf.addnx("c", "one") == 0 and cf.addnx("c", "two") == 1
    assert cf.insert("c", ["a", "b"]) == [1, 1] and cf.insertnx("c", ["a", "z"]) == [0, 1]
    assert cf.exists("c", "one") == 1 and cf.count("c", "one") == 1
    assert cf.delete("c", "one") == 1 and cf.exists("c", "one") == 0
    info = cf.info("c")
    assert (info.insertedNum, info.deletedNum, info.bucketSize) == (4, 1, 2)
    bulk(client, count)


def scan(client, iterator):
    """python3-redis 4.3 decodes no bytes here, but asks for the reply as it is."""
    reply = client.execute_command("BF.SCANDUMP", "b", iterator, NEVER_DECODE=[])
    return reply[0], reply[1]


def bulk(client, count):
    """Many items through the client, and none of them missing."""
    step = 1000
    client.bf().create("bulk", 0.001, count)
    for start in range(0, count, step):
        client.bf().madd("bulk", *["item-%d" % i for i in range(start, start + step)])
    lost = 0
    for start in range(0, count, step):
        lost += client.bf().mexists("bulk", *["item-%d" % i for i in range(start, start + step)]).count(0)
    assert lost == 0, lost
    strange = sum(client.bf().mexists("bulk", *["other-%d" % i for i in range(5000)]))
    assert strange <= 20, strange  # 5 expected; above 20 in one of 10^7 runs


NODE = """
const { createClient } = require('redis');
const assert = require('assert');
(async () => {
  for (const RESP of [2, 3]) {
    const client = createClient({ url: 'redis://127.0.0.1:' + process.argv.at(-1), RESP });
    await client.connect();
    await client.flushAll();
    await client.bf.reserve('b', 0.01, 1000);
    assert.strictEqual(await client.bf.add('b', 'one'), true);
    assert.deepStrictEqual(await client.bf.mAdd('b', ['one', 'two']), [false, true]);
    assert.deepStrictEqual(await client.bf.mExists('b', ['one', 'no']), [true, false]);
    assert.deepStrictEqual(await client.bf.insert('i', ['x', 'y'], { CAPACITY: 500, ERROR: 0.001 }), [true, true]);
    const info = await client.bf.info('b');
    assert.strictEqual(Number(info.capacity ?? info['Capacity']), 1000);
    assert.strictEqual(Number(await client.bf.card('b')), 2);
    await client.cf.reserve('c', 1000);
    assert.strictEqual(await client.cf.add('c', 'one'), true);
    assert.strictEqual(await client.cf.addNX('c', 'one'), false);
    assert.strictEqual(Number(await client.cf.count('c', 'one')), 1);
    assert.strictEqual(await client.cf.del('c', 'one'), true);
    assert.strictEqual(await client.cf.exists('c', 'one'), false);
    await client.quit();
  }
})().catch((error) => { console.error(error); process.exit(1); });
"""


def with_node(port, folder):
    subprocess.run(["node", "-e", NODE, "node", str(port)], cwd=folder, check=True)


def main():
    count = 1000000 if os.environ.get("UF_TEST_FULL") == "1" else 20000
    with tempfile.TemporaryDirectory() as folder:
        key = os.path.join(folder, "key")
        subprocess.run([sys.argv[2], "keygen", "-o", key], check=True, stdout=subprocess.DEVNULL)
        with Server(sys.argv[1], ultrafilter__key_file=key) as server:
            with_python(server.port, count)
            if len(sys.argv) > 3 and os.path.isdir(os.path.join(sys.argv[3], "node_modules", "redis")):
                with_node(server.port, sys.argv[3])
            else:
                print("node-redis is not here: left out")


main()
