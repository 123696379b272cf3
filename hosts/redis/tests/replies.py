#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replies of BF.* and CF.*, as they are on the wire in RESP2 and RESP3, against recorded ones (replies.txt).
usage: replies.py MODULE [2]        2: RESP2 only, for a RedisBloom that has no other"""
import os
import re
import sys

from server import Failed, Server


def shown(reply):
    if isinstance(reply, Failed):
        return "!" + str(reply)
    if isinstance(reply, bytes):
        reply = reply.decode(errors="replace")
    if isinstance(reply, list):
        return "[" + ", ".join(inner(r) for r in reply) + "]"
    if isinstance(reply, dict):
        return "{" + ", ".join("%r: %s" % (k, inner(v)) for k, v in reply.items()) + "}"
    return reply if isinstance(reply, str) else repr(reply)


def inner(reply):
    return repr(reply) if isinstance(reply, str) else shown(reply)


def lines():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "replies.txt")
    for line in open(path):
        line = line.rstrip("\n")
        if line and not line.startswith("#"):
            command, _, replies = line.partition(" -> ")
            first, _, second = replies.partition(" => ")
            yield command, {2: first, 3: second or first}


def same(want, got):
    """Redis spells a command's name as it came, or as it was created: by the version."""
    pattern = re.escape(want.lower()).replace(r"\~n", r"\d+")
    return re.fullmatch(pattern, got.lower()) is not None


def main():
    versions = [2] if len(sys.argv) > 2 else [2, 3]
    wrong = 0
    with Server(sys.argv[1]) as server:
        for version in versions:
            client = server.connect(version)
            client.ok("FLUSHALL")
            for command, want in lines():
                got = shown(client(*command.split()))
                if not same(want[version], got):
                    wrong += 1
                    print("RESP%d %s\n  want %s\n  got  %s" % (version, command, want[version], got))
    sys.exit(wrong > 0)


main()
