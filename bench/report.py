#!/usr/bin/env python3
"""Writes the measurements of bench/run as one table: bench/report.py MEASURED RESULTS

Ratios are Karpenter's figure over ours for time and memory (more is better for us) and ours over Karpenter's for price
(less is better). Writes solver.json and solver.md into RESULTS, with the machine and the commit.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import platform
import re
import statistics
import subprocess
import sys

COLUMNS = ["workload", "pods", "placed", "nodes", "$/h", "seconds", "first fit s", "check s", "bound s", "MiB",
           "over bound", "Karpenter placed", "nodes", "$/h", "seconds", "MiB", "time ×", "memory ×", "price"]


def load(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def collect(folder):
    rows = []
    for name in os.listdir(folder):
        match = re.fullmatch(r"tenon-([a-z]+(?:-more)?\d*)-(\d+)\.json", name)
        if not match:
            continue
        workload, pods = match[1], int(match[2])
        rows.append({"workload": workload, "pods": pods, "tenon": load(os.path.join(folder, name)),
                     "first_fit": load(os.path.join(folder, f"tenon-first-fit-{workload}-{pods}.json")),
                     "judge": load(os.path.join(folder, f"judge-{workload}-{pods}.json")),
                     "karpenter": load(os.path.join(folder, f"karpenter-{workload}-{pods}.json"))})
    return sorted(rows, key=lambda row: (order(row["workload"]), row["pods"]))


def order(workload):
    """Sorts realistic clusters first, and mix9 before mix10."""
    name, number = re.fullmatch(r"([a-z-]+)(\d*)", workload).groups()
    return not name.startswith("real"), name, int(number or 0)


def mixes(rows):
    """Returns the medians over the plain mixes: our price over the bound, and over Karpenter's."""
    some = [row for row in rows if row["workload"].startswith("mix")]
    if not some:
        return ""
    over = statistics.median(row["tenon"]["usd_per_hour"] / float(row["judge"]["bound"]) - 1 for row in some)
    text = f"\n{len(some)} mixes of {some[0]['pods']} pods: {over:.1%} over the bound in the median"
    both = [row for row in some if row["karpenter"]]
    if both:
        prices = [row["tenon"]["usd_per_hour"] / row["karpenter"]["usd_per_hour"] for row in both]
        text += f", {statistics.median(prices):.3f} of Karpenter's price, {max(prices):.3f} at the most"
    return text + ".\n"


def cells(row):
    t, f, k = row["tenon"], row["first_fit"], row["karpenter"]
    bound = float(row["judge"]["bound"])
    over = f"{t['usd_per_hour'] / bound - 1:.1%}" if bound else "–"
    mine = [row["workload"], row["pods"], t["placed"], t["nodes"], f"{t['usd_per_hour']:.2f}", f"{t['seconds']:.4f}",
            f"{f['seconds']:.4f}", f"{row['judge']['check_seconds']:.4f}", f"{row['judge']['bound_seconds']:.4f}",
            f"{t['peak_mib']:.0f}", over]
    if not k:
        return mine + ["–"] * (len(COLUMNS) - len(mine))
    return mine + [k["placed"], k["nodes"], f"{k['usd_per_hour']:.2f}", f"{k['seconds']:.4f}", f"{k['peak_mib']:.0f}",
                   f"{k['seconds'] / t['seconds']:.1f}", f"{k['peak_mib'] / t['peak_mib']:.1f}",
                   f"{t['usd_per_hour'] / k['usd_per_hour']:.3f}"]


def table(rows):
    lines = [COLUMNS, ["---"] + ["---:"] * (len(COLUMNS) - 1)] + [cells(row) for row in rows]
    return "\n".join("| " + " | ".join(str(c) for c in line) + " |" for line in lines) + "\n"


def commit():
    return subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True,
                          check=False).stdout.strip()


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        names = [line.split(":")[1].strip() for line in f if line.startswith("model name")]
    return f"{len(names)} × {names[0]}" if names else platform.machine()


def main():
    measured, results = sys.argv[1:]
    rows = collect(measured)
    if not rows:
        sys.exit("nothing was measured")
    for row in rows:
        if not row["judge"] or not row["judge"]["valid"]:
            sys.exit(f"{row['workload']}/{row['pods']}: the plan breaks a rule")
    os.makedirs(results, exist_ok=True)
    head = {"commit": commit(), "machine": processor(), "load": round(os.getloadavg()[2], 1)}
    with open(os.path.join(results, "solver.json"), "w", encoding="utf-8") as f:
        json.dump({**head, "rows": rows}, f, indent=1)
        f.write("\n")
    text = (f"# The solver beside Karpenter's scheduler\n\n`./run bench` at {head['commit']}, {head['machine']}, "
            f"load average {head['load']} at the end.\nRatios: Karpenter's time and memory over ours, our price over Karpenter's.\n"
            "`over bound`: our price over a proven lower bound. Every plan here passes `check_solution`.\n\n" + table(rows) + mixes(rows))
    with open(os.path.join(results, "solver.md"), "w", encoding="utf-8") as f:
        f.write(text)
    print(text)


if __name__ == "__main__":
    main()
