# SPDX-License-Identifier: MIT
"""The rule of docs/partitions.md#in-a-cluster once more, from its text: which key a part has, and which part an item."""
import binascii
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "vectors"))
from partitions import digest, part  # noqa: E402

SLOTS = 16384


def slot(tag):
    return binascii.crc_hqx(tag.encode(), 0) % SLOTS


def part_tag(name, index, parts):
    j = 0
    while slot("%s/%d/%d" % (name, index, j)) * parts // SLOTS != index:
        j += 1
    return "%s/%d/%d" % (name, index, j)


def part_key(name, index, parts):
    return "{%s}" % part_tag(name, index, parts)


def parse_spec(spec):
    """keyed(blocked:n=1,seed=0x5,prf=aes): the hash, and the seed."""
    keyed = spec.startswith("keyed(")
    fields = dict(word.split("=") for word in spec.rstrip(")").split(":")[1].split(","))
    return fields.get("prf", "siphash") if keyed else "xxh3", int(fields["seed"], 16)


def item_digest(spec, secret, item):
    name, seed = parse_spec(spec)
    low, high = digest(name, secret, seed, item)
    return low.to_bytes(8, "little") + high.to_bytes(8, "little"), high


def item_part(high, parts):
    return part(high, parts)


def query(connect, name, secret, items):
    """Answers of a running cluster. connect(slot) is a client of the server that has it."""
    meta = connect(slot(name)).ok("HGETALL", name)
    meta = {meta[i].decode(): meta[i + 1].decode() for i in range(0, len(meta), 2)}
    assert meta["ultrafilter-cluster"] == "1"
    parts, found = int(meta["parts"]), {}
    batches = {}
    for item in items:
        data, high = item_digest(meta["spec"], secret, item)
        batches.setdefault(item_part(high, parts), []).append((item, data))
    for index, batch in batches.items():
        tag = part_tag(name, index, parts)
        bits = connect(slot(tag)).ok("UF.DEXISTS", "{%s}" % tag, b"".join(data for _, data in batch))
        for i, (item, _) in enumerate(batch):
            found[item] = bits[i // 8] >> 7 - i % 8 & 1
    return [found[item] for item in items]


def check_page(path):
    """The table of vectors: name, part, of, key, slot."""
    rows = 0
    for line in open(path, encoding="utf-8"):
        cells = [cell.strip().strip("`") for cell in line.split("|")[1:-1]]
        if len(cells) == 5 and cells[1].isdigit() and cells[2].isdigit():
            name, index, parts, key, where = cells
            got = part_key(name, int(index), int(parts))
            assert (got, slot(got[1:-1])) == (key, int(where)), "%s: %s in slot %d" % (cells, got, slot(got[1:-1]))
            rows += 1
    assert rows >= 8, "the page has %d vectors only" % rows
    return rows
