# SPDX-License-Identifier: MIT
"""The figures of parts, kept in a file of JSON from one run to the next: for run, which adds to it, and page, which prints it.

{"parts": {NAME: {"size", "date", "seconds", "machine", "commit", "piece", "figures": [{"check", "figure", "target", "verdict", "note"}]}}}

Parts take hours together and are run on different days: each has its own date, size and machine.
"""
import fcntl
import json
import os

VERDICTS = ("met", "short", "failed")
COLUMNS = ("check", "figure", "target", "verdict", "note")
NOT_RUN = {"check": "figures", "figure": "not run", "target": "all parts", "verdict": "short", "note": "no figures of it are there"}


# Rows about a run, not about what was tried.
ABOUT_RUNS = ("lines", "exit status", "figures")


def joined(older, newer):
    """A piece of a part (run) takes the place of its own checks only, of runs on other days, trees and machines; a whole
    part that of all that was known."""
    if not newer.get("piece") or older["size"] != newer["size"]:
        return newer
    again = {row["check"] for row in newer["figures"]} | set(ABOUT_RUNS)
    kept = [row for row in older["figures"] if row["check"] not in again]

    def both(name):
        known = older[name].split("; ")
        return "; ".join(known + [newer[name]] * (newer[name] not in known))

    return {**newer, "piece": older.get("piece", False), "seconds": round(older["seconds"] + newer["seconds"], 1),
            "machine": both("machine"), "commit": both("commit"),
            "figures": sorted(kept + newer["figures"], key=lambda row: row["check"])}


def load(*paths):
    """The parts of all files; of one that is in several, the newest, and where that is a piece, what it lacks of the others;
    the later file where dates are equal."""
    parts = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found = json.load(file).get("parts")
        if not isinstance(found, dict):
            raise ValueError(f"{path}: has no figures of parts: run tests/torture/run again, with another name")
        for name, part in found.items():
            if name not in parts:
                parts[name] = part
            elif part["date"] >= parts[name]["date"]:
                parts[name] = joined(parts[name], part)
            else:
                parts[name] = joined(part, parts[name])
    return parts


def put(path, name, part):
    """The part takes the place of its older figures in the file (joined), and all parts that are there are returned. Other
    runs may do the same at the same time; and one that is stopped leaves the file as it was."""
    folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        parts = load(path) if os.path.exists(path) else {}
        parts[name] = joined(parts[name], part) if name in parts else part
        temporary = f"{path}.~{os.getpid()}"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump({"parts": dict(sorted(parts.items()))}, file, indent=1, ensure_ascii=False)
            file.write("\n")
        os.replace(temporary, path)
    finally:
        os.close(folder)
    return parts


def rows(parts, names):
    """(name of the part, figure) for each part of `names`, in their order; one that never ran has a row that says so."""
    for name in names:
        for figure in parts[name]["figures"] if name in parts else [NOT_RUN]:
            yield name, figure


def count(parts, names):
    found = [figure["verdict"] for _, figure in rows(parts, names)]
    return {verdict: found.count(verdict) for verdict in VERDICTS}


def runs(parts, names):
    """What is said of runs, newest first: (size, date, machine, commit), the parts of each, and their seconds."""
    groups = {}
    for name in names:
        if name in parts:
            part = parts[name]
            groups.setdefault((part["size"], part["date"][:10], part["machine"], part["commit"]), []).append(name)
    for key, members in sorted(groups.items(), key=lambda item: item[0][1], reverse=True):
        yield key, members, sum(parts[name]["seconds"] for name in members)


def part_names(folder):
    return sorted(name for name in os.listdir(folder) if os.access(os.path.join(folder, name), os.X_OK))
