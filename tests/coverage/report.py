#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sums up what gcov counted: lines and branches of src/, file by file, and where parsers have branches left.

usage: report.py SOURCE BUILD EXCLUDED      EXCLUDED: lines "file<TAB>text of the line<TAB>reason"
"""
import collections
import json
import pathlib
import subprocess
import sys

# What reads bytes of others, and arithmetic on sizes: every branch has to be taken.
PARSERS = ("src/file/", "src/core/wire", "src/core/blob", "src/core/number", "src/core/spec", "src/core/visible",
           "src/core/mem.c", "src/release/ledger_line", "src/release/ledger_text", "src/learned/model_file",
           "src/release/date", "src/core/arith")


def excluded(path):
    lines = collections.defaultdict(list)
    for line in pathlib.Path(path).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            file, text, reason = line.split("\t")
            if not reason:
                raise SystemExit(f"{path}: no reason for {file}: {text}")
            lines[file].append(text)
    return lines


def counts(source, build):
    """For each file of src/: {line: [executions, {branch: taken}]}, over all objects that it is compiled into."""
    found = collections.defaultdict(dict)
    data = sorted(str(path) for path in pathlib.Path(build, "src").rglob("*.gcda"))
    for first in range(0, len(data), 40):
        text = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *data[first:first + 40]],
                              capture_output=True, check=True, cwd=build).stdout
        for document in text.decode().splitlines():
            for file in json.loads(document)["files"]:
                name = file["file"]
                at = name.find("src/")
                if at < 0 or not (pathlib.Path(source) / name[at:]).exists():
                    continue
                for line in file["lines"]:
                    entry = found[name[at:]].setdefault(line["line_number"], [0, collections.Counter()])
                    entry[0] += line["count"]
                    for number, branch in enumerate(line["branches"]):
                        entry[1][(line.get("function_name"), number)] += branch["count"]
    return found


def share(part, whole):
    return 100 * part / whole if whole else 100.0


def main():
    source, build, list_of_excluded = sys.argv[1:4]
    leave_out = excluded(list_of_excluded)
    total = collections.Counter()
    missing, rows = [], []
    for file, lines in sorted(counts(source, build).items()):
        text = (pathlib.Path(source) / file).read_text().splitlines()
        row = collections.Counter()
        parser = file.startswith(PARSERS)
        for number, (executions, branches) in sorted(lines.items()):
            content = text[number - 1]
            if any(part in content for part in leave_out.get(file, ())):
                row["excluded"] += 1
                continue
            row["lines"] += 1
            row["lines_hit"] += executions > 0
            row["branches"] += len(branches)
            row["branches_hit"] += sum(taken > 0 for taken in branches.values())
            left = sum(not taken for taken in branches.values())
            if left or not executions:
                missing.append((parser, file, number, left, content.strip()))
        rows.append((file, parser, row))
        total.update(row)
        if parser:
            total.update({"parser_" + name: value for name, value in row.items()})
    print(f"{'file':44} {'lines':>12} {'branches':>14}")
    for file, parser, row in rows:
        print(f"{file:44} {row['lines_hit']:5}/{row['lines']:<6} {row['branches_hit']:6}/{row['branches']:<6}"
              f"{'  parser' if parser else ''}")
    for parser, file, number, left, content in missing:
        print(f"{'missing in a parser' if parser else 'missing'}: {file}:{number}: {left} branches: {content}")
    for name, part, whole in (("lines", "lines_hit", "lines"), ("branches", "branches_hit", "branches"),
                              ("parser branches", "parser_branches_hit", "parser_branches")):
        print(f"{name}\t{share(total[part], total[whole]):.2f} %\t{total[part]} of {total[whole]}")
    print(f"excluded\t{total['excluded']} lines")


main()
