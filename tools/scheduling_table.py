#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds docs/scheduling.md to the scenario files: every row of its tables links at least one that is there, and every
file in tests/scenarios/scheduling/ is linked by a row. --self-test proves that a gap is caught."""
import os
import re
import sys
import tempfile

TABLE = "docs/scheduling.md"
SCENARIOS = "tests/scenarios/scheduling"
LINK = re.compile(r"\]\(([^)#]+)\)")


def problems(root):
    """The gaps of the tree below `root`, one line each."""
    found, linked = [], set()
    with open(os.path.join(root, TABLE), encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            if not line.startswith("|") or re.fullmatch(r"[|\s:-]+", line.strip()) or line.startswith("| Rule"):
                continue
            links = LINK.findall(line)
            if not links:
                found.append(f"{TABLE}:{number}: the row links no scenario")
            for link in links:
                path = os.path.normpath(os.path.join(os.path.dirname(TABLE), link))
                if os.path.isfile(os.path.join(root, path)):
                    linked.add(path)
                else:
                    found.append(f"{TABLE}:{number}: there is no {path}")
    for name in sorted(os.listdir(os.path.join(root, SCENARIOS))):
        path = f"{SCENARIOS}/{name}"
        if name.endswith(".yaml") and path not in linked:
            found.append(f"{path}: no row of {TABLE} links it")
    return found


def self_test():
    cases = [
        ("| Rule | Scenarios |\n| --- | --- |\n| a | [a](../tests/scenarios/scheduling/a.yaml) |\n", None),
        ("| a | [a](../tests/scenarios/scheduling/a.yaml) [b](../tests/b.yaml) |\n", "there is no tests/b.yaml"),
        ("| a | nothing |\n| b | [a](../tests/scenarios/scheduling/a.yaml) |\n", "links no scenario"),
        ("Text that links [a](../tests/scenarios/scheduling/a.yaml) is no row.\n", "no row of"),
    ]
    for text, wanted in cases:
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, SCENARIOS))
            os.makedirs(os.path.join(root, os.path.dirname(TABLE)))
            with open(os.path.join(root, SCENARIOS, "a.yaml"), "w", encoding="utf-8"):
                pass
            with open(os.path.join(root, TABLE), "w", encoding="utf-8") as table:
                table.write(text)
            found = problems(root)
        if (wanted is None) != (not found) or (wanted and wanted not in found[0]):
            print(f"for {text!r} wanted {wanted!r}, found {found}")
            return 1
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = problems(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    print("\n".join(found) or "every rule has its scenarios")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
