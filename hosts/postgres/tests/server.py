# SPDX-License-Identifier: MIT
"""A PostgreSQL server of its own, in a folder of its own, without root's rights, that always ends.

The system's server looks for extensions where it was installed, which takes root. It finds that place from where its own
file is, so a copy of that file in a tree of links finds the links, and beside them this extension.
"""
import atexit
import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIP = 77
SCRIPTS = [path for path in glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ultrafilter*"))
           if path.endswith((".sql", ".control"))]


def pg_config(what):
    return subprocess.run(["pg_config", "--" + what], check=True, capture_output=True, text=True).stdout.strip()


def link_all(source, target, leave=()):
    os.makedirs(target, exist_ok=True)
    for name in os.listdir(source):
        if name not in leave:
            os.symlink(os.path.join(source, name), os.path.join(target, name))


class Server:
    def __init__(self, module, library, settings=(), modules=()):
        self.process = None
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="uf-postgres-"))
        atexit.register(self.stop)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: sys.exit(1))
        self.bin = pg_config("bindir")
        if not os.path.exists(os.path.join(self.bin, "initdb")):
            print("skipped: there is no server of PostgreSQL", flush=True)
            sys.exit(SKIP)
        self.user = self.choose_user()
        self.make_tree([module, *modules], library)
        self.data = os.path.join(self.root, "data")
        self.sockets = os.path.join(self.root, "s")
        os.mkdir(self.sockets)
        self.hand_over(self.root)
        self.run([os.path.join(self.bin, "initdb"), "-D", self.data, "-U", "owner", "--no-sync", "-A", "trust",
                  "--locale=C", "--encoding=UTF8", "--no-instructions"], stdout=subprocess.DEVNULL)
        self.start(settings)

    # postgres refuses root.
    @staticmethod
    def choose_user():
        if os.geteuid():
            return None
        for name in ("postgres", "nobody"):
            try:
                return pwd.getpwnam(name)
            except KeyError:
                pass
        print("skipped: postgres does not run as root, and there is no other user", flush=True)
        sys.exit(SKIP)

    def hand_over(self, path):
        if self.user:
            subprocess.run(["chown", "-Rh", f"{self.user.pw_uid}:{self.user.pw_gid}", path], check=True)

    def make_tree(self, modules, library):
        share, libs = pg_config("sharedir"), pg_config("pkglibdir")
        common = os.path.commonpath([self.bin, share, libs])
        inside = lambda path: os.path.join(self.root, "tree", os.path.relpath(path, common))
        os.makedirs(inside(self.bin))
        self.postgres = shutil.copy(os.path.join(self.bin, "postgres"), inside(self.bin))
        link_all(share, inside(share), ["extension"])
        link_all(os.path.join(share, "extension"), os.path.join(inside(share), "extension"))
        link_all(libs, inside(libs), [os.path.basename(module) for module in modules])
        for script in SCRIPTS:
            target = os.path.join(inside(share), "extension", os.path.basename(script))
            if os.path.lexists(target):
                os.remove(target)
            shutil.copy(script, target)
        for module in modules:
            shutil.copy(module, inside(libs))
        self.libs = os.path.join(self.root, "lib")
        os.mkdir(self.libs)
        dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
        soname = dynamic.split("Library soname: [")[1].split("]")[0]
        shutil.copy(os.path.realpath(library), os.path.join(self.libs, soname))

    def environment(self):
        kept = {name: os.environ[name] for name in ("PATH", "TZ") if name in os.environ}
        return {**kept, "LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": self.libs, "PGHOST": self.sockets, "PGUSER": "owner",
                "PGDATABASE": "postgres", "HOME": self.root}

    def as_user(self, command):
        if not self.user:
            return command
        return ["setpriv", f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups"] + command

    def run(self, command, **more):
        return subprocess.run(self.as_user(command), check=True, env=self.environment(), cwd=self.root, **more)

    def start(self, settings=()):
        options = ["fsync=off", "listen_addresses=", "unix_socket_directories=" + self.sockets, "shared_buffers=32MB",
                   "max_connections=20", "autovacuum=off", "wal_level=minimal", "max_wal_senders=0", "logging_collector=off",
                   "max_worker_processes=4", "log_min_messages=warning", *settings]
        self.log = open(os.path.join(self.root, "log"), "a")
        self.process = subprocess.Popen(
            self.as_user([self.postgres, "-D", self.data, *[part for option in options for part in ("-c", option)]]),
            stdout=self.log, stderr=self.log, env=self.environment(), cwd=self.root)
        for _ in range(600):
            if self.process.poll() is not None:
                break
            if subprocess.run(["psql", "-XAtc", "select 1"], env=self.environment(), capture_output=True).returncode == 0:
                return
            time.sleep(0.05)
        print(open(self.log.name).read())
        sys.exit("the server did not start")

    def shut(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGQUIT)
                self.process.wait(20)
        self.process = None

    def stop(self):
        self.shut()
        shutil.rmtree(self.root, ignore_errors=True)

    def psql(self, *arguments, sql=None, user="owner", database="postgres", check=True, text=True):
        done = subprocess.run(["psql", "-X", "-v", "ON_ERROR_STOP=0", "-U", user, "-d", database, *arguments], input=sql,
                              env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=text)
        if check and done.returncode:
            raise AssertionError(f"psql gave {done.returncode}: {done.stdout}")
        return done.stdout

    def ask(self, sql, **more):
        return self.psql("-Atq", "-c", sql, **more).strip()
