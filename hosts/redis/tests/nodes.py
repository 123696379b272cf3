# SPDX-License-Identifier: MIT
"""A Redis Cluster of servers on the loopback: made, broken, and its slots moved."""
import time

from server import Failed, Server, as_text, free_port

SLOTS = 16384


def wait_for(condition, what, seconds=60):
    end = time.time() + seconds
    while not condition():
        assert time.time() < end, "waited in vain: " + what
        time.sleep(0.02)


def info(client, section, field):
    reply = client(*section)
    if isinstance(reply, Failed):  # it loads its data
        return ""
    for line in reply.decode().splitlines():
        if line.startswith(field + ":"):
            return line.split(":", 1)[1]
    return ""


class Node(Server):
    def __init__(self, module, timeout_ms, **options):
        super().__init__(module, fixed_port=free_port(), cluster_enabled="yes", cluster_node_timeout=timeout_ms,
                         cluster_port=free_port(), cluster_replica_validity_factor="0",
                         repl_ping_replica_period="1", **options)  # maps leave out a replica that got nothing yet
        self.id = as_text(self.client.ok("CLUSTER", "MYID"))

    def is_master(self):
        return self.client.ok("ROLE")[0] == b"master"  # which answers while it loads, too

    def knows(self, other):
        lines = self.client.ok("CLUSTER", "NODES").decode().splitlines()
        return any(line.startswith(other.id) and "handshake" not in line for line in lines)


class Cluster:
    """`masters` servers that share the slots evenly, each with `replicas` of its own."""

    def __init__(self, module, masters=3, replicas=1, timeout_ms=1000, **options):
        self.module, self.timeout_ms, self.options, self.nodes = module, timeout_ms, options, []
        try:
            for _ in range(masters * (1 + replicas)):
                self.nodes.append(Node(module, timeout_ms, **options))
            self.meet(masters, replicas)
        except BaseException:
            self.stop()
            raise

    def introduce(self):
        """Everybody to everybody, which is faster than gossip; again, where a handshake took too long."""
        end = time.time() + 60
        while True:
            strangers = [(node, other) for node in self.nodes for other in self.nodes if not node.knows(other)]
            if not strangers:
                return
            assert time.time() < end, "servers do not get to know each other"
            for node, other in strangers:
                node.client.ok("CLUSTER", "MEET", "127.0.0.1", other.port, other.options["cluster-port"])
            for _ in range(40):
                if all(node.knows(other) for node, other in strangers):
                    break
                time.sleep(0.02)

    def meet(self, masters, replicas):
        for i, node in enumerate(self.nodes):
            node.client.ok("CLUSTER", "SET-CONFIG-EPOCH", i + 1)
        for i in range(masters):
            self.nodes[i].client.ok("CLUSTER", "ADDSLOTSRANGE", SLOTS * i // masters, SLOTS * (i + 1) // masters - 1)
        self.introduce()
        for i in range(masters * replicas):
            replica, master = self.nodes[masters + i], self.nodes[i % masters]
            self.follow(replica, master)
        self.settle()

    def follow(self, replica, master):
        wait_for(lambda: replica.client("CLUSTER", "REPLICATE", master.id) == "OK", "replica knows its master")

    def alive(self):
        return [node for node in self.nodes if node.process.poll() is None]

    def masters(self):
        return [node for node in self.alive() if node.is_master() and self.slots_of(node)]

    def slots_of(self, node):
        """Ranges, as the node itself has them."""
        for line in node.client.ok("CLUSTER", "NODES").decode().splitlines():
            words = line.split()
            if "myself" in words[2]:
                return [word for word in words[8:] if not word.startswith("[")]
        return []

    def settle(self):
        def is_fine():
            for node in self.alive():
                if info(node.client, ("CLUSTER", "INFO"), "cluster_state") != "ok":
                    return False
                if not node.is_master() and info(node.client, ("INFO", "replication"), "master_link_status") != "up":
                    return False
            return True
        wait_for(is_fine, "the cluster is fine")
        with_replicas = [self.by_id(self.master_of(node)) for node in self.alive() if not node.is_master()]
        for node in self.alive():  # they are in the maps that clients get
            wait_for(lambda: all(self.replicas_in_map(node, master) >= with_replicas.count(master)
                                 for master in with_replicas), "maps have replicas")

    def by_id(self, identity):
        return next(node for node in self.nodes if node.id == identity)

    def master_of(self, node):
        for line in node.client.ok("CLUSTER", "NODES").decode().splitlines():
            words = line.split()
            if "myself" in words[2]:
                return words[3]
        return "-"

    def replicas_in_map(self, node, master):
        for entry in node.client.ok("CLUSTER", "SLOTS"):
            if entry[2][1] == master.port:
                return len(entry) - 3
        return 0

    def replicas_of(self, master):
        return [node for node in self.alive() if not node.is_master() and self.master_of(node) == master.id]

    def address(self):
        return "127.0.0.1:%d" % self.alive()[0].port

    # ---- what happens to clusters ----

    def fail_over(self, master):
        """A planned one: a replica takes over, without a loss."""
        replica = self.replicas_of(master)[0]
        replica.client.ok("CLUSTER", "FAILOVER")
        wait_for(replica.is_master, "the replica takes over")

    def kill(self, master):
        """kill -9; a replica notices, and takes over."""
        replicas = self.replicas_of(master)
        master.kill()
        wait_for(lambda: any(replica.is_master() for replica in replicas), "a replica takes over")

    def revive(self, node):
        node.start()
        self.settle()

    def owner(self, slot):
        for node in self.masters():
            for words in self.slots_of(node):
                first, _, last = words.partition("-")
                if int(first) <= slot <= int(last or first):
                    return node
        raise AssertionError("nobody has slot %d" % slot)

    def move_slot(self, slot, target, pause=0.0):
        """As redis-cli --cluster reshard does it: key by key, with ASK meanwhile."""
        source = self.owner(slot)
        if source is target:
            return
        target.client.ok("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.client.ok("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
        time.sleep(pause)
        while True:
            keys = source.client.ok("CLUSTER", "GETKEYSINSLOT", slot, 100)
            if not keys:
                break
            for key in keys:
                reply = source.client("MIGRATE", "127.0.0.1", target.port, key, 0, 10000)
                assert not isinstance(reply, Failed), reply
            time.sleep(pause)
        for node in [target, source] + [n for n in self.masters() if n not in (target, source)]:
            node.client.ok("CLUSTER", "SETSLOT", slot, "NODE", target.id)

    def grow(self, count):
        """More masters, without slots."""
        new = [Node(self.module, self.timeout_ms, **self.options) for _ in range(count)]
        self.nodes += new
        for i, node in enumerate(new):
            node.client.ok("CLUSTER", "SET-CONFIG-EPOCH", 100 + i)
        self.introduce()
        self.settle()
        return new

    def stop(self):
        for node in self.nodes:
            node.options["shutdown-timeout"] = "0"
            if node.process and node.process.poll() is None:
                node.kill()  # nothing of it is kept
            node.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
