"""Runs table/rows: `kubectl_table.py KUBECTL KUBECONFIG FOLDER`.

A row is `verb | kinds | arguments | exit code | pattern`, separated by ` | `. The command is kubectl VERB KIND
ARGUMENTS; the pattern is a regular expression that must occur in its output (^ and $ at lines). `kinds` is `*` (each kind of
the line `kinds`), some of them, all but some (`* -pods -nodes`), or `-` for none. $FILE is the kind's manifest, $GROUP
`kind`, `custom` for Karpenter's kinds. A row may end in ` | since 1.25`: older kubectls do not support it.

All rows of a kind run in order in the namespace table-KIND; kinds run in parallel. Rows without a kind are in a
`group NAME`, which is treated like a kind.
"""
# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

WORKERS = 4
PATIENCE = 30  # seconds, for one row
CLUSTER_WIDE = {"nodes", "namespaces", "priorityclasses", "storageclasses", "nodepools", "nodeclaims", "ec2nodeclasses"}


class Row:
    def __init__(self, line, number):
        parts = [part.strip() for part in re.split(r"\s\|(?=\s)", line)]
        self.since = (0, 0)
        if parts[-1].startswith("since "):
            self.since = tuple(int(n) for n in parts.pop()[6:].split("."))
        if len(parts) != 5:
            raise ValueError(f"line {number}: {len(parts)} parts")
        self.verb, kinds, self.arguments, code, self.pattern = parts
        self.code, self.number = int(code), number
        names = kinds.split()
        self.everywhere = "*" in names
        self.but = {name[1:] for name in names if name.startswith("-") and len(name) > 1}
        self.only = {name for name in names if name[0] not in "*-"}
        self.kindless = kinds == "-"

    def concerns(self, kind):
        return kind in self.only or (self.everywhere and kind not in self.but)

    def command(self, kind):
        arguments = shlex.split(self.arguments.replace("$FILE", kind + ".yaml"))
        return [self.verb, *([] if self.kindless or "-f" in arguments else [kind]), *arguments]


def read_rows(path):
    kinds, groups, shared, current = [], {}, [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("kinds "):
            kinds = line.split()[1:]
        elif line.startswith("group "):
            current = line.split()[1]
            groups[current] = []
        elif current:
            groups[current].append(Row(line, number))
        else:
            shared.append(Row(line, number))
    stories = {kind: [row for row in shared if row.concerns(kind)] for kind in kinds}
    return {**stories, **groups}, kinds


class Runner:
    def __init__(self, kubectl, kubeconfig, folder):
        self.kubectl, self.kubeconfig, self.folder = kubectl, kubeconfig, folder
        version = self.run(["version", "--client", "-o", "json"])[1]
        self.version = tuple(int(n) for n in re.search(r'"gitVersion": "v(\d+)\.(\d+)', version).groups())

    def run(self, arguments, editor=""):
        with tempfile.TemporaryDirectory() as home:
            environment = dict(os.environ, KUBE_EDITOR=editor or "false", TMPDIR=home)
            try:
                done = subprocess.run([self.kubectl, "--kubeconfig", self.kubeconfig, *arguments], cwd=self.folder,
                                      env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
            except subprocess.TimeoutExpired as late:
                return None, (late.stdout or b"").decode()
            return done.returncode, done.stdout

    def story(self, name, rows, is_kind):
        """Returns the error; the first wrong row ends the kind's rows."""
        namespace = "table-" + name
        code, text = self.run(["create", "namespace", namespace])
        if code != 0:
            return 0, [f"{name}: {text}"]
        done = 0
        for row in rows:
            if row.since > self.version:
                continue
            command = row.command(name) if is_kind else [row.verb, *shlex.split(row.arguments)]
            where = [] if name in CLUSTER_WIDE else ["-n", namespace]
            code, text = self.run([*where, *command], "sed -i 's/note: x/note: edited/'" if row.verb == "edit" else "")
            done += 1
            if code != row.code or not re.search(row.pattern, text, re.MULTILINE):
                return done, [f"line {row.number}: kubectl {shlex.join([*where, *command])}\n"
                              f"  wanted exit {row.code}, {row.pattern}\n  seen exit {code}\n{text}"]
        return done, []


def main():
    kubectl, kubeconfig, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3])
    stories, kinds = read_rows(folder / "rows")
    runner = Runner(kubectl, kubeconfig, folder)
    runner.run(["api-resources"])  # one discovery for all
    began, total, wrong = time.monotonic(), 0, []
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for done, complaints in pool.map(lambda name: runner.story(name, stories[name], name in kinds), stories):
            total += done
            wrong += complaints
    print("\n".join(wrong))
    print(f"kubectl {'.'.join(map(str, runner.version))}: {total} rows, {len(wrong)} wrong, {time.monotonic() - began:.1f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
