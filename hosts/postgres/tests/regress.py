# SPDX-License-Identifier: MIT
"""The extension in a real server. usage: regress.py MODULE LIBRARY ULTRAFILTER LEAKY

sql/NAME.sql prints expected/NAME.out (UPDATE=1 rewrites these); what takes more than one session, or a program beside the
server, is in the functions below.
"""
import difflib
import os
import subprocess
import sys
import threading
import time

from server import Server

HERE = os.path.dirname(os.path.abspath(__file__))
MODULE, LIBRARY, PROGRAM, LEAKY = sys.argv[1:5]
failed = []


def says(truth, what):
    print("ok  " if truth else "BAD ", what, flush=True)
    if not truth:
        failed.append(what)


def regress(server, name, *more):
    server.ask(f"create database {name}")
    server.ask("create extension ultrafilter", database=name)
    got = server.psql("-a", "-q", *more, "-f", os.path.join(HERE, "sql", name + ".sql"), database=name, check=False)
    got = got.replace(os.path.join(HERE, "sql") + "/", "").replace(f"psql:{name}.sql:", "psql:")
    path = os.path.join(HERE, "expected", name + ".out")
    if os.environ.get("UPDATE"):
        with open(path, "w") as file:
            file.write(got)
    with open(path) as file:
        expected = file.read()
    says(got == expected, f"sql/{name}.sql prints expected/{name}.out")
    if got != expected:
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), got.splitlines(True), "expected", "got"))


def upgrade(server):
    server.ask("create database old")
    for version in ("0.1.0", "0.2.0"):
        server.psql("-q", database="old", sql=f"""
            create extension ultrafilter version '{version}';
            create table t as select uf_build(i, 'blocked:n=10') f from generate_series(1, 10) i;
            create view v as select 3 <@ f as found from t;
            alter extension ultrafilter update;
            select uf_publish(uf_build(i, 'dpset:n=10,epsilon=1'), 'd', 2) from generate_series(1, 10) i;""")
        got = server.ask("select extversion, found, (select count(distinct oprrest) from pg_operator where oprresult = 'bool'::regtype and "
                         "'ultrafilter'::regtype in (oprleft, oprright)) from v, pg_extension where extname = 'ultrafilter'", database="old")
        says(got == "0.3.0|t|1", f"version {version} is upgraded, and its values and views stay")
        server.psql("-q", "-c", "set client_min_messages = error; drop extension ultrafilter cascade; drop table t", database="old")


def dump(server):
    """All that pg_dump has of a database with filters and a ledger, in another one."""
    text = subprocess.run(["pg_dump", "-U", "owner", "publish"], env=server.environment(), capture_output=True, check=True).stdout
    server.ask("create database restored")
    server.psql("-q", "-v", "ON_ERROR_STOP=1", database="restored", sql=text.decode())
    query = ("select md5(string_agg(l::text, ',' order by id)), (select md5(b::text) from uf_budget b), "
             "(select last_value from uf_ledger_id_seq) from uf_ledger l")
    says(server.ask(query, database="publish") == server.ask(query, database="restored"), "a dump restores the ledger")


def binary_copy(server):
    path = os.path.join(server.root, "copy")
    server.ask(f"copy filters to '{path}' (format binary)", database="values")
    server.ask("create table copied (like filters)", database="values")
    server.ask(f"copy copied from '{path}' (format binary)", database="values")
    says(server.ask("select count(*) from filters f join copied c on f.name = c.name and f.filter::text = c.filter::text",
                    database="values") == "4", "binary COPY there and back")
    with open(path, "r+b") as file:
        whole = bytearray(file.read())
        whole[300] ^= 1
        file.seek(0)
        file.write(whole)
    says("these bytes are damaged" in server.psql("-c", f"copy copied from '{path}' (format binary)", database="values", check=False),
         "binary COPY of a damaged value is refused")


def page(server):
    """docs/hosts.md, as it is printed; the tables of its join are made here, smaller."""
    with open(os.path.join(HERE, "..", "..", "..", "docs", "hosts.md")) as file:
        text = file.read()
    block = lambda name: text.split(f"```sql {name}\n")[1].split("```")[0]
    server.ask("create database page")
    got = server.psql("-Atq", "-v", "ON_ERROR_STOP=1", database="page", sql=block("postgres.sql")).split()
    says(101 <= int(got[0]) < 160 and got[1].startswith("1000|0.0") and got[2] == "1" and got[3].startswith("customers|1.000|"),
         f"the page runs as printed {got}")
    server.ask("create table big as select i::int8 as number, 'w' || i as word from generate_series(1, 20000) i", database="page")
    server.ask("create table dim as select i::int8 as number, 'r' || i as rest from generate_series(19001, 21000) i", database="page")
    plain = block("join.sql").split(" WHERE")[0]
    answers = [server.ask(sql, database="page") for sql in (plain, block("join.sql"))]
    says(answers[0] == answers[1] == "1000|w20000|r20000", f"and so does its join {answers}")


def toasted(server):
    """A large value lies outside its row, uncompressed; rows that share it, and rows that do not, are told apart."""
    server.ask("create table large as select g, uf_build(i * 3 + g, 'blocked:n=5000,fpr=0.001') f from generate_series(1, 5000) i, "
               "generate_series(0, 2) g group by g", database="values")
    kept = server.ask("select pg_relation_size(reltoastrelid) / 8192 >= 3, (select bool_and(pg_column_size(f) > 8000) from large) "
                      "from pg_class where relname = 'large'", database="values")
    got = server.ask("select g, count(*) from large, generate_series(1000, 6000) i where i <@ f and i % 3 = g group by 1 order by 1",
                     database="values").split()
    mixed = server.ask("select count(*) from generate_series(1000, 1300) i, large where i <@ f", database="values")
    says(kept == "t|t" and got == ["0|1667", "1|1667", "2|1667"] and 301 <= int(mixed) < 310,
         f"large values lie outside their rows and are told apart {got} {mixed}")


def program_agrees(server):
    """One file, built by the shell, asked by the shell and by SQL; and the other way round."""
    keys, probes, path = (os.path.join(server.root, name) for name in ("keys", "probes", "a.uf"))
    with open(keys, "w") as file:
        file.writelines(f"key-{i}\n" for i in range(2000))
    with open(probes, "w") as file:
        file.writelines(f"key-{i}\n" for i in range(1000, 12000))
    subprocess.run([PROGRAM, "build", "-o", path, "--kind", "blocked", "--fpr", "0.05", keys], check=True,
                   capture_output=True)
    said = subprocess.run([PROGRAM, "query", path, probes], capture_output=True, text=True).stdout.split()
    os.chmod(path, 0o644)
    server.ask("create extension ultrafilter")
    answers = server.ask(f"select 'key-' || i from generate_series(1000, 11999) i where 'key-' || i <@ "
                         f"(select pg_read_binary_file('{path}')::ultrafilter) order by i").split()
    says(len(said) > 1200 and said == answers, f"the shell and SQL agree on 11000 keys ({len(said)} found)")
    back = bytes.fromhex(server.ask(f"select encode(uf_file(pg_read_binary_file('{path}')::ultrafilter), 'hex')"))
    says(back == open(path, "rb").read(), "a .uf file comes out of a value as it went in")


def keyed(server):
    path = os.path.join(server.root, "master.key")
    subprocess.run([PROGRAM, "keygen", "-o", path], check=True, capture_output=True)
    server.hand_over(path)
    use = f"set ultrafilter.key_file = '{path}';"
    value = server.ask(use + "select uf_build(i, 'keyed(blocked:n=100)') from generate_series(1, 100) i")
    says(server.ask(use + f"select count(*) from generate_series(1, 100) i where i <@ '{value}'::ultrafilter") == "100",
         "a keyed filter answers with its key")
    says(server.ask(use + "select count(*) from generate_series(1, 20000) i where i <@ (select uf_build(i, 'keyed(bloom:n=20000)') "
                    "from generate_series(1, 20000) i)") == "20000", "and another")
    wrong = server.psql("-c", f"select 1 <@ '{value}'::ultrafilter", check=False)
    says("key" in wrong and "ERROR" in wrong and "key_file" in wrong, "without it the query is refused")
    other = os.path.join(server.root, "other.key")
    subprocess.run([PROGRAM, "keygen", "-o", other], check=True, capture_output=True)
    server.hand_over(other)
    wrong = server.psql("-c", f"set ultrafilter.key_file = '{other}'", "-c", f"select 1 <@ '{value}'::ultrafilter", check=False)
    says("ERROR" in wrong and "is needed" in wrong, "with another key it is, too")
    secret = open(path).read().split()[1]
    server.log.flush()
    says(secret not in open(server.log.name).read(), "the key is in no log")
    server.psql("-c", "load 'ultrafilter_postgres'", "-c", "alter system set session_preload_libraries = 'ultrafilter_postgres'", "-c",
                f"alter system set ultrafilter.key_file = '{path}'", "-c", "select pg_reload_conf()", "-c", "select pg_sleep(0.2)")
    server.ask("create role nosy login", check=False)
    shown = server.psql("-c", "show ultrafilter.key_file", "-c", "select * from pg_settings where name like 'ultra%'", user="nosy",
                        check=False)
    says("master.key" not in shown, "an ordinary user does not see where it is")
    says(server.ask(f"select 5 <@ '{value}'::ultrafilter", user="nosy") == "t", "and may ask all the same")
    server.psql("-c", "alter system reset all", "-c", "select pg_reload_conf()", "-c", "select pg_sleep(0.2)")
    key_of_others(server, path, value)
    key_changes(server, use, path, other)
    return value


def key_of_others(server, path, value):
    """An ordinary user names the file before the library is there to forbid it, in every way there is."""
    ask = ("-c", f"select 5 <@ '{value}'::ultrafilter")
    named = f"set ultrafilter.key_file = '{path}'"
    tries = (server.psql("-c", named, *ask, user="nosy", check=False),
             server.psql(*ask, user="nosy", database=f"dbname=postgres options='-c ultrafilter.key_file={path}'", check=False),
             server.psql("-c", f"alter role nosy {named}", *ask, user="nosy", check=False),
             server.psql("-c", f"create function pg_temp.f() returns bool language sql {named} as "
                         f"$$ select 5 <@ '{value}'::ultrafilter $$", "-c", "select pg_temp.f()", user="nosy", check=False))
    answers = [line for text in tries for line in text.split("\n") if line.strip() in ("t", "f")]
    says(not answers and all("ERROR" in text for text in tries), "an ordinary user cannot name a key")


def key_changes(server, use, path, other):
    """The setting changes while a builder has the key: between two rows of one query."""
    server.ask(f"create or replace function flip(n int8) returns int8 language plpgsql set ultrafilter.key_file = '{other}' as "
               "$$ begin perform uf_build(1::int8, 'keyed(bloom:n=10)'); return n; end $$")
    got = server.ask(use + "select uf_info(uf_build(flip(i), 'keyed(blocked:n=3000)'))->>'key_id' from generate_series(1, 3000) i")
    says(len(got) == 16, "a key that was replaced stays with the query that has it")
    got = server.ask(use + "set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0; "
                     "create table spread as select i::int8 as n from generate_series(1, 20000) i; analyze spread; "
                     "select count(*) from spread where n <@ (select uf_build(n, 'keyed(blocked:n=20000)') from spread)")
    says(got == "20000", "workers have the key, too")


def cancelled(server):
    """The first and the last are cancelled by the executor, between rows; the second has a few rows and then the library's
    work, which takes seven seconds when it is let alone."""
    server.ask("create table wide as select uf_build(i, 'bloom:n=1,bits=4e7,seed=0x1') f from generate_series(1, 2) i")
    for what in ("uf_build(i, 'dpset:n=1e7,epsilon=3') from generate_series(1, 1000000000) i",
                 "uf_build(i, 'dpset:n=1e8,epsilon=3') from generate_series(1, 10) i",
                 "uf_union(f) from wide, generate_series(1, 100000)"):
        begin = time.time()
        text = server.psql("-c", "set statement_timeout = 100", "-c", f"select {what}", check=False)
        took = time.time() - begin
        says("canceling statement" in text and took < 3, f"cancelled after {took:.2f} s: {what}")


def grown(server, *work):
    """Bytes by which the contexts of a session grew with the second and third round of work."""
    used = "select sum(total_bytes) as used from pg_backend_memory_contexts"
    arguments = [part for sql in (*work, used, *work, *work, used) for part in ("-c", sql)]
    got = server.psql("-Atq", *arguments, database="values").split()
    return int(got[-1]) - int(got[-2])


def memory(server):
    """Contexts of a session that builds, asks and fails again and again do not grow; with a filter of 1 KB that is
    forgotten in each of its twenty turns they do."""
    work = """
        do $$ declare f ultrafilter; b bool; begin
        for i in 1..20 loop
            select uf_build(n, 'bloom:fpr=0.01') into f from generate_series(1, 500) n;
            perform 7 <@ f, uf_info(f), uf_union(f), f::text::ultrafilter, uf_file(f), uf_claim(f), uf_fingerprint(f);
            b := 7 <@ f;
            execute format('explain select from words where number <@ %L::ultrafilter', f);
            begin perform 'aGVsbG8='::ultrafilter; exception when others then null; end;
            begin perform uf_build(n, 'bloom:n=3,full=refuse') from generate_series(1, 500) n; exception when others then null; end;
        end loop; end $$"""
    leak = """
        do $$ declare f ultrafilter; begin
        for i in 1..20 loop
            select uf_build(n, 'bloom:fpr=0.01') into f from generate_series(1, 500) n;
            perform uf_leaky(f);
        end loop; end $$"""
    server.ask("create function uf_leaky(ultrafilter) returns void language c strict as 'postgres_leaky'", database="values")
    clean, leaky = grown(server, work), grown(server, leak)
    says(clean < 32768, f"memory does not grow: {clean} bytes in 40 turns")
    says(leaky > 65536, f"control: a filter that is forgotten in each turn is found, {leaky} bytes")


def crowd(server):
    """Eight sessions release at once: the budget holds."""
    server.ask("create database crowd")
    server.ask("create extension ultrafilter", database="crowd")
    server.ask("insert into uf_budget values ('set', 3.5)", database="crowd")
    release = "select uf_publish(uf_build(i, 'dpset:n=50,epsilon=1'), 'set') from generate_series(1, 50) i"
    threads = [threading.Thread(target=server.psql, args=("-c", release), kwargs={"database": "crowd", "check": False})
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    says(server.ask("select count(*), sum(epsilon) <= 3.5 from uf_ledger", database="crowd") == "3|t", "a crowd keeps to the budget")


def isolation(server):
    """A transaction that saw the ledger before another one released does not miss that release."""
    server.ask("insert into uf_budget values ('apart', 1.5)", database="crowd")
    release = "select uf_publish(uf_build(i, 'dpset:n=50,epsilon=1'), 'apart') from generate_series(1, 50) i"
    for level in ("repeatable read", "serializable"):
        said = []
        late = threading.Thread(target=lambda: said.append(server.psql(
            "-c", f"begin isolation level {level}", "-c", "select count(*) from uf_ledger", "-c", "select pg_sleep(0.6)",
            "-c", release, "-c", "commit", database="crowd", check=False)))
        late.start()
        time.sleep(0.3)
        server.psql("-c", release, database="crowd", check=False)
        late.join()
        spent = server.ask("select count(*), sum(epsilon) <= 1.5 from uf_ledger where data_set = 'apart'", database="crowd")
        says(spent == "1|t" and "ERROR" in said[0], f"a budget holds in {level}: {spent}")


def kinds(server):
    """Files of every kind: each answers, or says which key or what else it lacks; so does one of lowercase keys."""
    folder = os.path.join(HERE, "..", "..", "..", "tests", "golden")
    names = [name for name in sorted(os.listdir(folder)) if name.endswith((".uf", ".ufc", ".bloom"))]
    script = "\\set VERBOSITY verbose\n"
    for name in names + ["lowercase"]:
        path = os.path.join(folder, name) if name in names else lowercase(server)
        with open(path, "rb") as file:
            value = f"'\\x{file.read().hex()}'::bytea::ultrafilter"
        script += f"\\echo FILE {name}\nselect uf_info({value})->>'kind' as kind, 'golden' <@ {value} as found \\gset\n\\echo :kind :found\n" \
                  "\\unset kind\n\\unset found\n"
    words = {}
    for part in server.psql("-q", sql=script).split("FILE ")[1:]:
        name, said = part.split("\n", 1)
        answered = said.strip().endswith((" t", " f")) and "ERROR" not in said
        refused = any(f"ERROR:  {code}: ultrafilter: " in said for code in ("55000", "22P03", "22023", "0A000"))
        words.setdefault("answered" if answered else "refused" if refused else f"{name}: {said}", []).append(name)
    says(set(words) == {"answered", "refused"} and sum(map(len, words.values())) == len(names) + 1 and "lowercase" in words["refused"],
         f"files of every kind answer or are refused in words: {words}")


def lowercase(server):
    path = os.path.join(server.root, "lower.uf")
    subprocess.run([PROGRAM, "build", "-q", "-o", path, "--spec", "bloom:n=10", "--lowercase"], input=b"A\n", check=True)
    return path


def main():
    server = Server(MODULE, LIBRARY, modules=[LEAKY])
    for name in ("values", "parallel", "publish"):
        regress(server, name)
    for part in (page, toasted, program_agrees, upgrade, dump, binary_copy, cancelled, memory, crowd, isolation, kinds):
        part(server)
    regress(server, "planner", "-v", "keyed=" + keyed(server))
    server.shut()
    sys.exit(1 if failed else 0)


main()
