# SPDX-License-Identifier: MIT
"""Servers of Redis for tests, each in a folder of its own on a free port of the loopback, and a client that shows replies
as they come over the wire. Nothing but Python's own library."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time


# Debian's package of the tools has the server under another name, which is what it goes by; the package of the server
# would start one.
PROGRAM = shutil.which("redis-server") or shutil.which("redis-check-rdb")


class Failed(Exception):
    """An error that the server replied with."""


class Client:
    def __init__(self, port, resp=2):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.file = self.socket.makefile("rb")
        if resp == 3:
            self("HELLO", "3")

    def send(self, *words):
        parts = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        self.socket.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))

    def read(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            return Failed(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"#":
            return rest == b"t"
        if kind == b",":
            return float(rest)
        if kind == b"_":
            return None
        if kind in b"$=":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind in b"*~>":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        if kind == b"%":
            return {as_text(self.read()): self.read() for _ in range(int(rest))}
        raise ValueError(line)

    def __call__(self, *words):
        self.send(*words)
        return self.read()

    def ok(self, *words):
        """The reply of a command that must not fail."""
        reply = self(*words)
        if isinstance(reply, Failed):
            raise AssertionError("%s: %s" % (words[:3], reply))
        return reply

    def many(self, commands):
        """Replies to commands that are sent at once."""
        for words in commands:
            self.send(*words)
        return [self.read() for _ in commands]

    def close(self):
        self.file.close()
        self.socket.close()


def as_text(value):
    return value.decode() if isinstance(value, bytes) else value


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """redis-server with the module. Options are those of redis.conf; a key file is one of them."""

    def __init__(self, module, folder=None, fixed_port=None, **options):
        self.folder = folder or tempfile.mkdtemp(prefix="uf_redis_")
        self.owns = folder is None
        self.module = module
        self.fixed_port = fixed_port  # of a server that others know by its port
        self.options = {"save": "", "appendonly": "no", "enable-debug-command": "yes", "loglevel": "notice",
                        "shutdown-timeout": "0", "repl-diskless-sync-delay": "0"}
        self.options.update({name.replace("__", ".").replace("_", "-"): value for name, value in options.items()})
        self.process = None
        self.start()

    def start(self):
        for _ in range(5):
            self.port = self.fixed_port or free_port()
            words = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder,
                     "--logfile", os.path.join(self.folder, "log")]
            if self.module:
                words += ["--loadmodule", self.module]
            for name, value in self.options.items():
                words += ["--" + name, str(value)]
            self.process = subprocess.Popen(words, executable=PROGRAM, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if self.wait():
                return
        raise AssertionError("redis-server did not start:\n" + self.log()[-2000:])

    def wait(self):
        for _ in range(600):
            if self.process.poll() is not None:
                return False
            try:
                client = Client(self.port)
                if client("PING") == "PONG":
                    self.client = client
                    return True
                client.close()
            except OSError:
                pass
            time.sleep(0.02)
        return False

    def connect(self, resp=2):
        return Client(self.port, resp)

    def log(self):
        with open(os.path.join(self.folder, "log"), errors="replace") as log:
            return log.read()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def restart(self):
        self.stop(keep=True)
        self.start()

    def stop(self, keep=False):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        if self.owns and not keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
