"""Tenon takes a cluster over from real Karpenter, and Karpenter takes it back."""
# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "..", "..", "peers", "walkthroughs_on_moto"))
UNITS = {"s": 1, "m": 60, "h": 3600}


def seconds(text):
    """Returns the seconds of 30s, 5m or 1h."""
    match = re.fullmatch(r"(\d+)([smh])", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text} is not a duration such as 30s, 5m or 1h")
    return int(match[1]) * UNITS[match[2]]


PLAYS = ("takeover", "without_wait", "observe")


def options():
    parser = argparse.ArgumentParser(prog="./run test-adopt", description=__doc__)
    parser.add_argument("--quiet", type=seconds, default="30m", metavar="DURATION",
                        help="time for which nothing may be replaced after each takeover (30m)")
    parser.add_argument("--record", metavar="FOLDER", help="folder for the objects that Karpenter leaves, as YAML")
    parser.add_argument("--play", choices=PLAYS, action="append", help="a play; several in this order (all)")
    for name in ("versions", "tenon", "programs", "cluster"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    given = options()
    from account import Account  # boto3 is in the environment of the peers only; --help needs none
    from cluster import Wrong
    from play import Play
    from real_cluster import RealCluster
    play = Play(RealCluster(os.path.join(given.programs, "bin", "kubectl"), os.path.join(given.cluster, "kubeconfig")),
                Account(), given)
    try:
        play.prepare()
        for name in given.play or PLAYS:
            print(f"--- {name}", flush=True)
            getattr(play, name)()
    except Wrong as wrong:
        print("FAIL", wrong, flush=True)
        return 1
    finally:
        play.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
