#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The theorem of mixed radix (docs/privacy.md#mixed-radix) on sets so small that everything can be enumerated, in exact
fractions: every coin, every way to send keys to shards, every seed, every table. The law of what is published is built
from the procedure, step by step, not from the formula of the proof; then, for every two sets that differ in one key,

    u <= Pr[file | S + x] / Pr[file | S] <= (u + (1 - u) / f) / (1 - eta) / (1 - eta0)

must hold for every file, with the eta and eta0 of that toy. Controls, which must break it: free digits that are not
uniform, coins that are drawn again for a crowded shard alone, and a limit on keys instead of planted keys.

The second part counts independent sets of rows: eta of one field never falls with the number of rows (Mason's
conjecture, a theorem), so that a full shard is the worst case.
"""
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import prod

ROWS = [(1, 0), (0, 1), (1, 1)]  # of two slots
SLOTS = 2


def independent(rows, p):
    basis = []
    for row in rows:
        row = list(row)
        for pivot, other in basis:
            if row[pivot] % p:
                m = row[pivot] * pow(other[pivot], -1, p)
                row = [(a - m * b) % p for a, b in zip(row, other)]
        pivot = next((i for i, a in enumerate(row) if a % p), None)
        if pivot is None:
            return False
        basis.append((pivot, row))
    return True


def subsets(keys):
    return [c for k in range(len(keys) + 1) for c in combinations(keys, k)]


class Toy:
    """`groups` of columns, each a tuple of primes. The cells are what a planted key may draw, all equally likely: one
    number for each group that it constrains, x alone or (x, y)."""

    def __init__(self, groups, cells, u, keys=3, shards=1, limit=2, how="sound"):
        self.groups, self.cells, self.u, self.limit, self.how = groups, cells, Fraction(u), limit, how
        self.keys, self.shards = tuple(range(keys)), shards
        self.primes = sorted({p for group in groups for p in group})
        self.columns = {p: list(product(range(p), repeat=SLOTS)) for p in self.primes}
        values = prod(prod(group) for group in groups)
        accepted = sum(prod(prod(group) for group in groups[len(cell):]) for cell in cells)
        self.f = Fraction(accepted, values)
        self.known = {}

    def solvable(self, rows, group):
        return all(independent(rows, p) for p in group)

    def tables(self, equations, group):
        """All tables of a group that solve the equations (row, number), or of the control, one with zeros."""
        key = (equations, group)
        if key not in self.known:
            found = []
            for p in group:
                digits = [(row, number % p) for row, number in equations]
                found.append([z for z in self.columns[p]
                              if all(sum(a * b for a, b in zip(row, z)) % p == d for row, d in digits)])
            if self.how == "biased":
                found = [column[:1] for column in found]
            self.known[key] = list(product(*found))
        return self.known[key]

    def planted(self, keys):
        """(P with the cell of each key, probability): the coins of these keys."""
        for chosen in subsets(keys):
            chance = (1 - self.u) ** len(chosen) * self.u ** (len(keys) - len(chosen))
            for cells in product(self.weighted(), repeat=len(chosen)):
                yield dict(zip(chosen, (c for c, _ in cells))), chance * prod((w for _, w in cells), start=Fraction(1))

    def weighted(self):
        """A cell x alone stands for all (x, y): it is drawn as often as those together."""
        sizes = [prod(prod(group) for group in self.groups[len(cell):]) for cell in self.cells]
        return [(cell, Fraction(size, sum(sizes))) for cell, size in zip(self.cells, sizes)]

    def reach(self, plan, group):
        return [key for key in plan if len(plan[key]) > group]

    def fits(self, plan):
        return all(len(self.reach(plan, g)) <= self.limit for g in range(len(self.groups)))

    def good_seeds(self, plan, keys):
        """A seed gives rows to the keys of its shard, members or not."""
        reach = [self.reach(plan, g) for g in range(len(self.groups))]
        seeds = [dict(zip(keys, rows)) for rows in product(ROWS, repeat=len(keys))]
        return [seed for seed in seeds
                if all(self.solvable([seed[k] for k in reach[g]], group) for g, group in enumerate(self.groups))]

    def solutions(self, plan, seed):
        """The fingerprint of key k is k: any function will do."""
        parts = []
        for g, group in enumerate(self.groups):
            keys = self.reach(plan, g)
            parts.append(self.tables(tuple((seed[k], plan[k][g] + k) for k in keys), group))
        return list(product(*parts))

    def files_of_shard(self, plan, keys):
        """What is published of a shard when the rows of these planted keys are independent, and how likely that is:
        (file, chance)."""
        seeds = self.good_seeds(plan, keys)
        for seed in seeds:
            tables = self.solutions(plan, seed)
            for table in tables:
                yield (tuple(seed.values()), table), Fraction(1, len(ROWS) ** len(keys) * len(tables))

    def law_given(self, parts):
        """Shards are independent of each other, given the coins that go with them."""
        out = {(): Fraction(1)}
        for part in parts:
            out = {file + (one,): p * q for file, p in out.items() for one, q in part.items()}
        return out

    def shard_law(self, plans, keys):
        """The first try, and after it, when rows depend, others with new coins and a new seed, until one succeeds."""
        first = defaultdict(Fraction)
        for plan, chance in plans:
            for file, p in self.files_of_shard(plan, keys):
                first[file] += chance * p
        whole, succeeds = sum(chance for _, chance in plans), sum(first.values())
        return {file: p + (whole - succeeds) * p / succeeds for file, p in first.items()}

    def law(self, members):
        """Pr[file | set], files with the way the keys were sent; and C, the chance that the first step succeeds."""
        out, succeeds = defaultdict(Fraction), Fraction(0)
        ways = list(product(range(self.shards), repeat=len(self.keys)))
        for way in ways:
            shards = [[k for k in self.keys if way[k] == s] for s in range(self.shards)]
            if self.how == "keys" and any(len(set(keys) & set(members)) > self.limit for keys in shards):
                out["no file"] += Fraction(1, len(ways))
                succeeds += Fraction(1, len(ways))
                continue
            parts, fits = [], Fraction(1)
            for keys in shards:
                present = [k for k in keys if k in members]
                plans = [(plan, chance) for plan, chance in self.planted(present) if self.fits(plan)]
                one = sum(chance for _, chance in plans)
                if self.how == "alone":  # where too many are planted, the coins of this shard are drawn again
                    plans = [(plan, chance / one) for plan, chance in plans]
                fits *= one
                parts.append(self.shard_law(plans, keys))
            succeeds += fits / len(ways)
            for file, p in self.law_given(parts).items():
                out[way, file] += p / len(ways)
        whole = sum(out.values())
        assert self.how != "sound" or whole == succeeds
        return {file: p / whole for file, p in out.items()}, succeeds

    def eta(self):
        """At most, over planted keys below the limit: one key more, of any cell, and whether a seed still solves them."""
        worst = Fraction(0)
        for plan, _ in self.planted(self.keys[1:]):
            for cell in self.cells:
                more = {**plan, self.keys[0]: cell}
                if self.fits(more):
                    worst = max(worst, 1 - Fraction(len(self.good_seeds(more, self.keys)), len(self.good_seeds(plan, self.keys))))
        return worst

    def check(self):
        """(least and largest ratio, bound, whether it holds), over all neighbours and files."""
        laws = {members: self.law(members) for members in subsets(self.keys)}
        least, most, eta0 = Fraction(10**9), Fraction(0), Fraction(0)
        for members, (law, succeeds) in laws.items():
            for x in self.keys:
                if x in members:
                    continue
                other, others = laws[tuple(sorted(members + (x,)))]
                if succeeds:
                    eta0 = max(eta0, 1 - others / succeeds)
                for file in law.keys() | other.keys():
                    a, b = law.get(file, 0), other.get(file, 0)
                    ratio = b / a if a else Fraction(10**9)
                    least, most = min(least, ratio), max(most, ratio)
        bound = (self.u + (1 - self.u) / self.f) / (1 - self.eta()) / (1 - eta0)
        return least, most, bound, least >= self.u and most <= bound


def report(name, toy, must):
    least, most, bound, holds = toy.check()
    print("%-58s u %-6.4g down %-8.5f up %-9.5g bound %-9.5f %s" % (
        name, toy.u, least, most, bound, ("holds" if holds else "broken") + ("" if holds == must else "  WRONG")))
    return holds == must


def check_theorem():
    one = [(0,)]
    good = report("GF(3)", Toy([(3,)], one, "1/4", keys=3), True)
    good &= report("GF(2) and GF(3)", Toy([(2, 3)], one, "1/5"), True)
    good &= report("GF(7)", Toy([(7,)], one, "1/8", keys=2), True)
    good &= report("two shards, at most 1 planted key each", Toy([(2,)], one, "1/3", keys=2, shards=2, limit=1), True)
    good &= report("two cells: x = 0, or x = 1 and y = 0", Toy([(2,), (3,)], [(0,), (1, 0)], "1/3", keys=2), True)
    good &= report("control: free digits are 0", Toy([(2, 3)], one, "1/5", keys=2, how="biased"), False)
    good &= report("control: coins of a crowded shard are drawn again alone",
                   Toy([(2,)], one, "1/3", keys=2, shards=2, limit=1, how="alone"), False)
    good &= report("control: at most 1 key, not planted key",
                   Toy([(2,)], one, "1/3", keys=2, shards=2, limit=1, how="keys"), False)
    return good


# ---- a full shard is the worst case ----

def banded_rows(slots, blocks, width):
    """One slot in each of so many blocks, at every start."""
    return [tuple(sum(1 for i, at in enumerate(ats) if start + i * width + at == slot) for slot in range(slots))
            for start in range(slots - blocks * width + 1) for ats in product(range(width), repeat=blocks)]


def independent_sets(rows, p):
    """I_m, the number of independent sets of m rows; equal rows count as many."""
    counts, level = [1], [((), ())]
    while level:
        deeper = []
        for chosen, _ in level:
            for i in range(chosen[-1] + 1 if chosen else 0, len(rows)):
                if independent([rows[j] for j in chosen + (i,)], p):
                    deeper.append((chosen + (i,), ()))
        level = deeper
        counts.append(len(level))
    return counts[:-1]


def check_shape():
    good = True
    for slots, blocks, width in ((4, 2, 2), (5, 2, 2), (4, 1, 3), (5, 2, 1)):
        rows = banded_rows(slots, blocks, width)
        for p in (2, 3, 7):
            counts = independent_sets(rows, p)
            etas = [1 - Fraction((m + 1) * counts[m + 1], len(rows) * counts[m]) for m in range(len(counts) - 1)]
            grows = all(a <= b for a, b in zip(etas, etas[1:]))
            print("GF(%d), %d rows of %d slots: eta %s  %s" % (
                p, len(rows), slots, " ".join("%.3f" % e for e in etas), "grows" if grows else "FALLS"))
            good &= grows
    return good


if __name__ == "__main__":
    raise SystemExit(0 if check_theorem() & check_shape() else 1)
