#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sums up what clang counted: lines and branches of src/, file by file, and which are left.

A branch is a condition of the source that was true, or one that was false: those of if, loops and ?:, each operand of &&
and ||, and each case of a switch. What the compiler makes of them does not matter, nor does into how many objects a header
is compiled, and in which of them a branch was taken.

usage: report.py SOURCE COUNTS.json EXCLUDED

COUNTS.json is what `llvm-cov export` prints. EXCLUDED has lines "file<TAB>condition<TAB>value<TAB>reason": that the
condition, spelled as in the source, is never `value` (true, false, or both) in that file (* is every file).
"""
import collections
import json
import pathlib
import sys

# What reads bytes of others, and arithmetic on sizes: every branch has to be taken.
PARSERS = ("src/file/", "src/core/wire", "src/core/blob", "src/core/number", "src/core/spec", "src/core/visible",
           "src/core/mem.c", "src/release/ledger_line", "src/release/ledger_text", "src/learned/model_file",
           "src/release/date", "src/core/arith")

SIDES = {"true": (True,), "false": (False,), "both": (True, False)}


class Excluded:
    """What excluded.txt names."""

    def __init__(self, path):
        self.reasons = {}
        self.used = set()
        for line in pathlib.Path(path).read_text().splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            file, condition, value, reason = line.split("\t")
            if not reason:
                raise SystemExit(f"{path}: no reason for {file}: {condition}")
            for side in SIDES[value]:
                self.reasons[file, condition, side] = reason

    def has(self, file, condition, side):
        for key in ((file, condition, side), ("*", condition, side)):
            if key in self.reasons:
                self.used.add(key)
                return True
        return False

    def idle(self):
        return sorted(set(self.reasons) - self.used)


def line_counts(segments):
    """{line: executions}, as llvm-cov has it: the most of the regions that begin in a line or go on there."""
    by_line = collections.defaultdict(list)
    for segment in segments:
        by_line[segment[0]].append(segment)
    counts, wrapped = {}, None
    for line in range(min(by_line, default=1), max(by_line, default=0) + 1):
        here = by_line.get(line, [])
        begun = [count for _, _, count, has_count, is_entry, is_gap in here if has_count and is_entry and not is_gap]
        skipped = here and here[0][4] and not here[0][3]
        goes_on = wrapped is not None and wrapped[3]
        if not skipped and (begun or goes_on):
            counts[line] = max(begun + ([wrapped[2]] if goes_on else []))
        if here:
            wrapped = here[-1]
    return counts


def in_source(source, name):
    """The path of a file of src/, from the root of the source; None for any other."""
    at = name.rfind("src/")
    return name[at:] if at >= 0 and (source / name[at:]).exists() else None


def collect(source, path):
    """For each file of src/ its lines and {(line, column, line, column): [true, false]}, over all its instances."""
    lines, branches = {}, collections.defaultdict(dict)

    def add(name, branch):
        counted = branches[name].setdefault(tuple(branch[:4]), [0, 0])
        counted[0] += branch[4]
        counted[1] += branch[5]

    for file in json.loads(pathlib.Path(path).read_text())["data"][0]["files"]:
        name = in_source(source, file["filename"])
        if name:
            lines[name] = line_counts(file["segments"])
            for branch in file["branches"]:
                add(name, branch)
        for expansion in file.get("expansions", ()): # what macros have in them counts where they are defined
            for branch in expansion["branches"]:
                name = in_source(source, expansion["filenames"][branch[6]])
                if name:
                    add(name, branch)
    return lines, branches


def spelled(text, place):
    """A condition as it is written, on one line."""
    first, column, last, end = place
    if first == last:
        return text[first - 1][column - 1:end - 1]
    parts = [text[first - 1][column - 1:], *text[first:last - 1], text[last - 1][:end - 1]]
    return " ".join(part.strip() for part in parts)


def share(part, whole):
    return 100 * part / whole if whole else 100.0


def main():
    source = pathlib.Path(sys.argv[1])
    lines, branches = collect(source, sys.argv[2])
    excluded = Excluded(sys.argv[3])
    total = collections.Counter()
    missing, rows = [], []
    for file in sorted(lines):
        text = (source / file).read_text().splitlines()
        parser = file.startswith(PARSERS)
        row = collections.Counter(lines=len(lines[file]), lines_hit=sum(count > 0 for count in lines[file].values()))
        for place, taken in sorted(branches[file].items()):
            condition = spelled(text, place)
            for side, count in zip((True, False), taken):
                if not count and excluded.has(file, condition, side):
                    row["excluded"] += 1
                    continue
                row["branches"] += 1
                row["branches_hit"] += count > 0
                if not count:
                    missing.append((parser, file, place[0], condition, side))
        rows.append((file, parser, row))
        total.update(row)
        if parser:
            total.update({"parser_" + name: value for name, value in row.items()})
    print(f"{'file':44} {'lines':>12} {'branches':>14}")
    for file, parser, row in rows:
        print(f"{file:44} {row['lines_hit']:5}/{row['lines']:<6} {row['branches_hit']:6}/{row['branches']:<6}"
              f" {share(row['branches_hit'], row['branches']):5.1f} %{'  parser' if parser else ''}")
    for parser, file, number, condition, side in missing:
        print(f"{'missing in a parser' if parser else 'missing'}: {file}:{number}: never {str(side).lower()}: {condition}")
    for file, condition, side in excluded.idle():
        print(f"excluded for nothing: {file}: never {str(side).lower()}: {condition}")
    for name, part, whole in (("lines", "lines_hit", "lines"), ("branches", "branches_hit", "branches"),
                              ("parser branches", "parser_branches_hit", "parser_branches")):
        print(f"{name}\t{share(total[part], total[whole]):.2f} %\t{total[part]} of {total[whole]}")
    print(f"excluded\t{total['excluded']} branches")


main()
