"""python walkthroughs_on_moto KUBECTL KUBECONFIG METRICS_PORT PLAY…: runs them one after the other; see plays.py."""
# SPDX-License-Identifier: Apache-2.0
import sys

from account import Account
from cluster import Cluster, Wrong
from plays import Play


def main():
    kubectl, kubeconfig, metrics_port, *names = sys.argv[1:]
    play = Play(Cluster(kubectl, kubeconfig, metrics_port), Account())
    for name in names:
        print(f"--- {name}", flush=True)
        try:
            getattr(play, name)()
        except Wrong as wrong:
            print("FAIL", wrong, flush=True)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
