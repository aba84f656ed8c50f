#!/usr/bin/env python3
"""Writes the measurements of bench/disruption as two tables: bench/report_disruption.py MEASURED RESULTS

Writes disruption.json and disruption.md into RESULTS, with the machine and the commit.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import sys

import report

PASS = ["cluster", "nodes", "moves", "seconds", "MiB", "Karpenter moves", "seconds", "of which single", "MiB", "time ×",
        "single ×", "memory ×"]
ROUNDS = ["cluster", "nodes", "$/h before", "$/h", "rounds", "seconds", "longest", "MiB", "Karpenter $/h", "rounds",
          "seconds", "longest", "MiB", "price", "memory ×"]


def collect(folder):
    rows = []
    for name in os.listdir(folder):
        match = re.fullmatch(r"tenon-([a-z]+\d*)-(\d+)\.json", name)
        if match:
            rows.append({"cluster": match[1], "nodes": int(match[2]),
                         "tenon": report.load(os.path.join(folder, name)),
                         "karpenter": report.load(os.path.join(folder, name.replace("tenon-", "karpenter-")))})
    return sorted(rows, key=lambda row: (row["cluster"], row["nodes"]))


def filled(cells, columns):
    return cells + ["–"] * (len(columns) - len(cells))


def pass_cells(row):
    t, k = row["tenon"], row["karpenter"]
    mine = [row["cluster"], row["nodes"], t["moves"], f"{t['seconds']:.3f}", f"{t['peak_mib']:.0f}"]
    if not k:
        return filled(mine, PASS)
    return mine + [k["moves"], f"{k['seconds']:.1f}", f"{k['single_seconds']:.1f}", f"{k['peak_mib']:.0f}",
                   f"{k['seconds'] / t['seconds']:.0f}", f"{k['single_seconds'] / t['seconds']:.0f}",
                   f"{k['peak_mib'] / t['peak_mib']:.1f}"]


def rounds_cells(row):
    t, k = row["tenon"], row["karpenter"]
    mine = [row["cluster"], row["nodes"], f"{t['usd_per_hour_before']:.2f}", f"{t['usd_per_hour']:.2f}", t["rounds"],
            f"{t['seconds']:.2f}", f"{t['longest']:.2f}", f"{t['peak_mib']:.0f}"]
    if not k:
        return filled(mine, ROUNDS)
    rounds = f"> {k['rounds']}" if k["unfinished"] else k["rounds"]
    return mine + [f"{k['usd_per_hour']:.2f}", rounds, f"{k['seconds']:.0f}", f"{k['longest']:.1f}",
                   f"{k['peak_mib']:.0f}", f"{t['usd_per_hour'] / k['usd_per_hour']:.3f}",
                   f"{k['peak_mib'] / t['peak_mib']:.1f}"]


def table(columns, lines):
    lines = [columns, ["---"] + ["---:"] * (len(columns) - 1)] + lines
    return "\n".join("| " + " | ".join(str(c) for c in line) + " |" for line in lines) + "\n"


def main():
    measured, results = sys.argv[1:]
    rows = collect(measured)
    if not rows:
        sys.exit("nothing was measured")
    os.makedirs(results, exist_ok=True)
    head = {"commit": report.commit(), "machine": report.processor(), "load": round(os.getloadavg()[2], 1)}
    with open(os.path.join(results, "disruption.json"), "w", encoding="utf-8") as f:
        json.dump({**head, "rows": rows}, f, indent=1)
        f.write("\n")
    once = [row for row in rows if "rounds" not in row["tenon"]]
    often = [row for row in rows if "rounds" in row["tenon"]]
    text = (f"# Disruption beside Karpenter's\n\n`./run bench` at {head['commit']}, {head['machine']}, load average "
            f"{head['load']} at the end. Ratios: Karpenter's time and memory over ours, our price over Karpenter's.\n"
            "Karpenter's 15 s of waiting before each move are left out.\n\n"
            "One pass, every candidate evaluated; in `packed` and `pools` nothing is to be gained:\n\n"
            + table(PASS, [pass_cells(row) for row in once])
            + "\nPasses, each carried out, until one finds nothing (`>`: the peer was stopped after three minutes):\n\n"
            + table(ROUNDS, [rounds_cells(row) for row in often]))
    with open(os.path.join(results, "disruption.md"), "w", encoding="utf-8") as f:
        f.write(text)
    print(text)


if __name__ == "__main__":
    main()
