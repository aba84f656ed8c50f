"""Tenon beside real Karpenter on one real control plane, each as a process: with moto as AWS, and with kwok.

A play is "small" (5, 12, 5 and 1 pods), a number of pods, or NUMBER-pending: the pods exist before the controller starts.
Each play has a new process of the controller, and an empty account of moto. Writes a line of JSON for each step.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path += [os.path.join(ROOT, "tests", "peers", "walkthroughs_on_moto"), os.path.join(ROOT, "tests", "e2e", "real", "takeover")]
PLAYS = ("small:2", "200:4", "1000:4", "5000:2", "1000-pending:2", "5000-pending:2")


def options():
    parser = argparse.ArgumentParser(prog="./run bench side-by-side", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cloud", choices=("moto", "kwok"), action="append", help="both without it")
    parser.add_argument("--out", default=os.path.join(ROOT, "bench", "results", "side-by-side.json"))
    parser.add_argument("plays", nargs="*", default=PLAYS, metavar="PLAY[:RUNS]",
                        help="2 runs: Tenon, Karpenter; 4: Tenon, Karpenter, Karpenter, Tenon; tenon or karpenter: one of them "
                             f"({' '.join(PLAYS)})")
    for name in ("versions", "tenon", "programs", "cluster"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    given = options()
    from cluster import Wrong  # PyYAML is in the environment of the peers only; --help needs none
    from plays import ORDERS, Bench
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what it has started ends with it
    bench = Bench(given)
    try:
        bench.prepare()
        for cloud in given.cloud or ("moto", "kwok"):
            for play in given.plays:
                name, _, runs = play.partition(":")
                for controller in ORDERS.get(runs or "2", (runs,)):
                    bench.play(cloud, controller, name)
    except Wrong as wrong:
        print("FAIL", wrong, flush=True)
        return 1
    finally:
        bench.abort()
    return 0


if __name__ == "__main__":
    sys.exit(main())
