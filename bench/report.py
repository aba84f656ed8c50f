#!/usr/bin/env python3
"""Puts what bench/run measured into one table: bench/report.py MEASURED RESULTS

Ratios are Karpenter's figure over ours for time and memory (more is better for us) and ours over Karpenter's for price
(less is better). Writes solver.json and solver.md into RESULTS, with the machine and the commit.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import platform
import re
import subprocess
import sys

COLUMNS = ["workload", "pods", "placed", "nodes", "$/h", "seconds", "first fit s", "MiB",
           "Karpenter placed", "nodes", "$/h", "seconds", "MiB", "time ×", "memory ×", "price"]


def load(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def ours(path):
    """One google-benchmark report → the same fields as the peer prints."""
    report = load(path)
    if not report or not report["benchmarks"]:
        return None
    row = report["benchmarks"][0]
    assert row["time_unit"] == "ms"
    return {"seconds": row["real_time"] / 1e3, "runs": row["iterations"], "usd_per_hour": row["usd_per_hour"],
            "nodes": int(row["nodes"]), "placed": int(row["placed"]), "peak_mib": row["peak_mib"]}


def collect(folder):
    rows = []
    for name in os.listdir(folder):
        match = re.fullmatch(r"tenon-([a-z]+)-(\d+)\.json", name)
        if not match:
            continue
        workload, pods = match[1], int(match[2])
        rows.append({"workload": workload, "pods": pods, "tenon": ours(os.path.join(folder, name)),
                     "first_fit": ours(os.path.join(folder, f"tenon-first-fit-{workload}-{pods}.json")),
                     "karpenter": load(os.path.join(folder, f"karpenter-{workload}-{pods}.json"))})
    return sorted(rows, key=lambda row: (row["workload"], row["pods"]))


def cells(row):
    t, f, k = row["tenon"], row["first_fit"], row["karpenter"]
    mine = [row["workload"], row["pods"], t["placed"], t["nodes"], f"{t['usd_per_hour']:.2f}", f"{t['seconds']:.4f}",
            f"{f['seconds']:.4f}", f"{t['peak_mib']:.0f}"]
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
    os.makedirs(results, exist_ok=True)
    head = {"commit": commit(), "machine": processor(), "load": round(os.getloadavg()[2], 1)}
    with open(os.path.join(results, "solver.json"), "w", encoding="utf-8") as f:
        json.dump({**head, "rows": rows}, f, indent=1)
        f.write("\n")
    text = (f"# The solver beside Karpenter's scheduler\n\n`./run bench` at {head['commit']}, {head['machine']}, "
            f"load average {head['load']} at the end.\nRatios: Karpenter's time and memory over ours, our price over Karpenter's.\n\n" + table(rows))
    with open(os.path.join(results, "solver.md"), "w", encoding="utf-8") as f:
        f.write(text)
    print(text)


if __name__ == "__main__":
    main()
