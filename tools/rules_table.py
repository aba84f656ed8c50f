#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the tables of docs/conformance/: every row links files that exist, no rule is stated twice, and every scenario in a
document's folders is linked by one of its rows, or by a row of another document. --self-test proves that a gap is caught."""
import os
import re
import sys
import tempfile

FOLDERS = {  # of scenarios, by the document that holds their rules
    "docs/conformance/scheduling.md": ["tests/scenarios/scheduling"],
    "docs/conformance/disruption.md": ["tests/scenarios/disruption", "tests/scenarios/life-cycle"],
    "docs/conformance/aws.md": ["tests/scenarios/aws", "tests/scenarios/faults"],
    "docs/conformance/process.md": [],
}
LINK = re.compile(r"\]\(([^)#]+)\)")
RULE_OFF = re.compile(r"\|[|\s:-]+")  # the line below a table's head


def problems(root, document, folders, linked=()):
    """Returns the gaps between a document and its folders below `root`, one line each. `linked`: by other documents."""
    found, linked, rules = [], set(linked), set()
    with open(os.path.join(root, document), encoding="utf-8") as table:
        lines = list(table)
    for number, line in enumerate(lines, 1):
        is_head = number < len(lines) and RULE_OFF.fullmatch(lines[number].strip())
        if not line.startswith("|") or is_head or RULE_OFF.fullmatch(line.strip()):
            continue
        links = LINK.findall(line)
        if not links:
            found.append(f"{document}:{number}: the row links nothing")
        rule = line.split(" | ")[0]
        if rule in rules:
            found.append(f"{document}:{number}: the rule is stated twice")
        rules.add(rule)
        for link in links:
            path = os.path.normpath(os.path.join(os.path.dirname(document), link))
            if os.path.isfile(os.path.join(root, path)):
                linked.add(path)
            else:
                found.append(f"{document}:{number}: there is no {path}")
    for folder in folders:
        for name in sorted(os.listdir(os.path.join(root, folder))):
            path = f"{folder}/{name}"
            if name.endswith(".yaml") and path not in linked:
                found.append(f"{path}: no row of {document} links it")
    return found


def self_test():
    document, folder = next(iter(FOLDERS.items()))
    folder = folder[0]
    cases = [
        ("| Rule | Scenarios |\n| --- | --- |\n| a | [a](../../tests/scenarios/scheduling/a.yaml) |\n", None),
        ("| a | [a](../../tests/scenarios/scheduling/a.yaml) [b](../../tests/b.yaml) |\n", "there is no tests/b.yaml"),
        ("| a | [a](../../tests/scenarios/scheduling/a.yaml) |\n" * 2, "stated twice"),
        ("| a | nothing |\n| b | [a](../../tests/scenarios/scheduling/a.yaml) |\n", "links nothing"),
        ("Text that links [a](../../tests/scenarios/scheduling/a.yaml) is no row.\n", "no row of"),
    ]
    for text, wanted in cases:
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, folder))
            os.makedirs(os.path.join(root, os.path.dirname(document)))
            with open(os.path.join(root, folder, "a.yaml"), "w", encoding="utf-8"):
                pass
            with open(os.path.join(root, document), "w", encoding="utf-8") as table:
                table.write(text)
            found = problems(root, document, [folder])
        if (wanted is None) != (not found) or (wanted and wanted not in found[0]):
            print(f"for {text!r} wanted {wanted!r}, found {found}")
            return 1
    return 0


def links_of_rows(root, document):
    with open(os.path.join(root, document), encoding="utf-8") as table:
        rows = [line for line in table if line.startswith("|")]
    return {os.path.normpath(os.path.join(os.path.dirname(document), link)) for row in rows for link in LINK.findall(row)}


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = []
    for document, folders in FOLDERS.items():
        elsewhere = set().union(*(links_of_rows(root, other) for other in FOLDERS if other != document))
        found += problems(root, document, folders, elsewhere)
    print("\n".join(found) or "every rule has its scenarios")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
