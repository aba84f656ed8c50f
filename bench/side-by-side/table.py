#!/usr/bin/env python3
"""Prints the measurements of side-by-side as tables of Markdown: table.py [FILE]

Several runs of one play are listed in their order. Ratios are Karpenter's mean over Tenon's mean: above 1 is better for Tenon.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import statistics
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "results", "side-by-side.json")
FIGURES = (("seconds", "seconds"), ("cpu_s", "CPU s"), ("peak_mib", "peak MiB"))


def read(path):
    """Returns the finished steps by cloud, play, and sizes before and after; in each, those of each controller."""
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if line["kind"] == "step":
                step = (line["cloud"], line["play"], line["from"], line["pods"])
                rows.setdefault(step, {}).setdefault(line["controller"], []).append(line)
    return rows


def several(lines, key):
    return ", ".join(f"{line[key]:.3g}" for line in lines)


def ratio(row, key):
    ours, theirs = (statistics.mean(line[key] for line in row[name]) for name in ("tenon", "karpenter"))
    return f"{theirs / ours:.3g}" if ours else ""


def table(rows, cloud):
    print("| step | controller | " + " | ".join(title for _, title in FIGURES) + " | nodes | load |")
    print("| --- | --- |" + " ---: |" * (len(FIGURES) + 2))
    for (of, play, before, after), row in rows.items():
        if of != cloud:
            continue
        name = f"{before} → {after}" + (", pending before the start" if play.endswith("pending") else "")
        for controller in ("tenon", "karpenter"):
            if lines := row.get(controller):
                print(f"| {name} | {controller} | " + " | ".join(several(lines, key) for key, _ in FIGURES) + " | " +
                      " | ".join(", ".join(str(line[key]) for line in lines) for key in ("nodes", "load")) + " |")
        if len(row) == 2:
            print("| | ratio | " + " | ".join(ratio(row, key) for key, _ in FIGURES) + " | | |")


def main():
    rows = read(sys.argv[1] if len(sys.argv) > 1 else RESULTS)
    for cloud in ("moto", "kwok"):
        print(f"\n{cloud}:\n")
        table(rows, cloud)


if __name__ == "__main__":
    main()
