#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bits per key of private sets against epsilon, as docs/bits.svg shows them. usage: bench/bits.py BUILD OUT.svg

Ours are what `ultrafilter plan` says of 10^6 keys. Of randomized response (k = 1) the formula: with b = 1 / (1 + e^eps)
and z the share of ones, the errors are 2 b + (1 - 2 b) z, and that is 1.5 times the limit 2 b when z = b / (1 - 2 b), at
-1 / ln(1 - z) bits per key. Of Patel, Persiano, Seo and Yeo ("Differentially private set representations", NeurIPS
2024) what they state: at most 1.05 eps log2 e bits per key with a delta, at most eps log2 e without one and with
slow answers, both with the error 1 / (1 + e^eps).
"""
import json
import math
import os
import subprocess
import sys

EPSILONS = [0.25 * i for i in range(1, 41)]


def designs(build, epsilon):
    run = [os.path.join(build, "ultrafilter"), "plan", "--json", "--epsilon", str(epsilon), "-n", "1000000"]
    return json.loads(subprocess.run(run, check=True, stdout=subprocess.PIPE).stdout)


def of_ours(plan, wanted):
    return next((d["bits_per_key"] for d in plan["designs"] if wanted(d)), math.nan)


def of_response(epsilon):
    b = 1 / (1 + math.exp(epsilon))
    z = b / (1 - 2 * b)
    return -1 / math.log1p(-z) if z < 1 else math.nan


def row(build, epsilon):
    plan = designs(build, epsilon)
    limit = plan["limit"]
    return [epsilon, limit["ideal_bits_per_key"], limit["least_bits_per_key"],
            of_ours(plan, lambda d: d.get("variant") == "dyadic"),
            of_ours(plan, lambda d: "default" in d.get("prefer", [])),
            of_ours(plan, lambda d: "small" in d.get("prefer", [])), epsilon * math.log2(math.e), of_response(epsilon)]


def main():
    build, out = sys.argv[1:]
    with open(out + ".dat", "w") as data:
        print("# epsilon ideal least dyadic default small eps*log2(e) rr", file=data)
        for epsilon in EPSILONS:
            print(*("%.5g" % x for x in row(build, epsilon)), file=data)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bits.gp")
    subprocess.run(["gnuplot", "-e", "data='%s.dat'; out='%s'" % (out, out), script], check=True)


if __name__ == "__main__":
    main()
