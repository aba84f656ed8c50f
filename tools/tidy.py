#!/usr/bin/env python3
"""House rules that a machine can hold, as one test: tools/tidy.py [--self-test].

Rooms (tools/layers.toml): an include points to a room of the row of its own room, and every permission of a row is used.
A source without a header of its name is named in a header of its folder. Sizes, line length, tokens that a room must not
use, a licence line in every source, no pipe into grep -q in a bash script, no file above 256 KiB.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAX_LINE = 120
MAX_FILE_LINES = 600
MAX_TEST_LINES = 900
MAX_BYTES = 256 * 1024
PURE = {"base", "json", "log", "model", "plan", "catalog", "lp", "scheduling", "disruption", "schema", "legacy"}
MAX_FOLDER = 30  # sources and headers of one folder, without tests
FULL_FOLDERS = {"aws", "base", "disruption", "http", "model", "runtime"}  # rooms without sub-rooms
BANNED_IN_PURE = re.compile(
    r"\b(system_clock|steady_clock|std::thread|std::jthread|random_device|std::rand|getenv|std::cout|std::cerr|spdlog)\b")
BANNED_EVERYWHERE = re.compile(r"\b(sleep_for\(std::chrono|usleep|co_await|using namespace std;|testing::TempDir\(\))")
INCLUDE = re.compile(r'^\s*#include\s+"([a-z_0-9/]+\.h)"')
TESTS = re.compile(r"_test\.cc$|/(testing|reference)/")
HEAVY = re.compile(r'^\s*#include\s+[<"](boost/json\.hpp|json/json\.h|boost/beast|spdlog/|pugixml|curl/|openssl/|CLI/)')
BASH = re.compile(r"#!.*\bbash\b")
EARLY_EXIT = re.compile(r"(?<!\|)\|\s*grep\s+(-\w+\s+)*-\w*q")
WORKPLACE = re.compile(r"/(work|root|home)/")  # a path of somebody's machine


def layers():
    """room -> the rooms that it may include, from tools/layers.toml (a subset of TOML: name = ["a", "b"])."""
    with open(os.path.join(ROOT, "tools/layers.toml"), encoding="utf-8") as f:
        text = re.sub(r"#.*", "", f.read())
    return {match[1]: re.findall(r'"([\w/]+)"', match[2])
            for match in re.finditer(r'"?([\w/]+)"?\s*=\s*\[([^\]]*)\]', text)}


def room_of(path, rows):
    """The room of a file of src/ (path without src/): its folder, or the nearest folder above with a row."""
    folder = os.path.dirname(path)
    while folder and folder not in rows:
        folder = os.path.dirname(folder)
    return folder


def top(room):
    return room.split("/")[0]


def allowed(path, rows):
    """The rooms that a file of src/ may include. A test may include every room below those of its
    folder of src/."""
    room = room_of(path, rows)
    if not TESTS.search(path):
        return {room, *rows[room]}
    reached, waiting = set(), [other for other in rows if top(other) == top(room)]
    while waiting:
        other = waiting.pop()
        if other not in reached:
            reached.add(other)
            waiting += [more for name in rows[other] for more in rows if top(more) == top(name)]
    return reached


def check_rows(rows):
    """The table itself: every arrow points to a row above, pure rooms name pure rooms."""
    problems, seen = [], []
    for room, below in rows.items():
        for other in below:
            if other not in seen:
                problems.append(f"tools/layers.toml: {room} may not see {other}: it is not below it")
            if top(room) in PURE and top(other) not in PURE:
                problems.append(f"tools/layers.toml: pure room {room} may not see {other}")
        seen.append(room)
    return problems


def check_used(texts, rows):
    """Every permission of a row is used by a source that is no test. texts: path without src/ -> text."""
    unused = {(room, other) for room, below in rows.items() for other in below}
    for path, text in texts.items():
        if TESTS.search(path):
            continue
        room = room_of(path, rows)
        for include in re.findall(r'^\s*#include\s+"([a-z_0-9/]+\.h)"', text, re.MULTILINE):
            unused.discard((room, room_of(include, rows)))
    return [f"tools/layers.toml: {room} names {other}, which none of its files includes" for room, other in sorted(unused)]


def check_definitions(texts):
    """A source has a header of its name, or a header of its folder says what it defines."""
    problems = []
    for path in texts:
        if not path.endswith(".cc") or path.endswith("_main.cc") or TESTS.search(path) or path[:-3] + ".h" in texts:
            continue
        folder, name = os.path.split(path)
        headers = [text for other, text in texts.items() if other.endswith(".h") and os.path.dirname(other) == folder]
        if not any(re.search(rf"(?<![\w/]){re.escape(name)}\b", text) for text in headers):
            problems.append(f"src/{path}: no header of its name, and no header of its folder names it")
    return problems


def check_folders(texts):
    """Folders of rooms with sub-rooms stay small enough to read."""
    counts = {}
    for path in texts:
        if not TESTS.search(path) and top(path) not in FULL_FOLDERS:
            counts[os.path.dirname(path)] = counts.get(os.path.dirname(path), 0) + 1
    return [f"src/{folder}: {count} files, more than {MAX_FOLDER}: it needs rooms of its own"
            for folder, count in sorted(counts.items()) if count > MAX_FOLDER]


def check_source(path, text, rows):
    problems = []
    lines = text.split("\n")
    inside = path[len("src/"):] if path.startswith("src/") and path.count("/") >= 2 else None
    permitted = allowed(inside, rows) if inside and room_of(inside, rows) else None
    is_test = bool(TESTS.search(path)) or path.startswith("tests/")
    limit = MAX_TEST_LINES if is_test else MAX_FILE_LINES
    if len(lines) > limit:
        problems.append(f"{path}: {len(lines)} lines, more than {limit}: a second file is asking to be born")
    if "// SPDX-License-Identifier: Apache-2.0" not in lines:
        problems.append(f"{path}: no line \"// SPDX-License-Identifier: Apache-2.0\"")
    if path.endswith(".h") and "#pragma once" not in text:
        problems.append(f"{path}: no #pragma once")
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if len(line) > MAX_LINE:
            problems.append(f"{where}: {len(line)} columns, more than {MAX_LINE}")
        include = INCLUDE.match(line)
        target = room_of(include[1], rows) if include else ""
        if permitted is not None and target and target not in permitted:
            problems.append(f"{where}: {room_of(inside, rows)} may not include {target}")
        if inside and top(inside) in PURE and not is_test and BANNED_IN_PURE.search(line.split("//")[0]):
            problems.append(f"{where}: not in a pure room: {line.strip()}")
        if BANNED_EVERYWHERE.search(line.split("//")[0]):
            problems.append(f"{where}: not allowed: {line.strip()}")
        if path.endswith(".h") and path != "src/json/json.h" and HEAVY.match(line):
            problems.append(f"{where}: a heavy header in a header: {line.strip()}")
        if WORKPLACE.search(line):
            problems.append(f"{where}: speaks of something outside the product: {line.strip()}")
    return problems


def check_first_include(path, text, has_header):
    """A source includes its own header first: that header then compiles alone."""
    first = re.search(r'^#include\s+[<"]([^">]+)', text, re.MULTILINE)
    own = path[len("src/"):-len(".cc")] + ".h"
    if path.startswith("src/") and has_header and (not first or first[1] != own):
        return [f"{path}: its own header, {own}, comes first"]
    return []


def check_script(path, text):
    """A bash script does not pipe into grep -q: grep exits at the first match, and with pipefail the SIGPIPE of a
    writer that has not finished is a failure. <<<"$(...)" has no such race."""
    if not BASH.match(text) and not path.endswith(".bash"):
        return []
    return [f"{path}:{number}: a pipe into grep -q: {line.strip()}"
            for number, line in enumerate(text.split("\n"), 1) if EARLY_EXIT.search(line)]


def check_tree():
    rows = layers()
    problems = check_rows(rows)
    texts = {}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for path in filter(None, listed):
        full = os.path.join(ROOT, path)
        if not os.path.exists(full):
            continue
        if os.path.getsize(full) > MAX_BYTES:
            problems.append(f"{path}: {os.path.getsize(full)} bytes, more than {MAX_BYTES}")
        if path.startswith("src/") and path.count("/") >= 2 and not room_of(path[len("src/"):], rows):
            problems.append(f"{path}: room {path.split('/')[1]} has no row in tools/layers.toml")
        if os.path.isfile(full) and ("." not in os.path.basename(path) or path.endswith((".bash", ".sh"))):
            with open(full, encoding="utf-8", errors="replace") as f:
                problems += check_script(path, f.read())
        if path.endswith((".cc", ".h")):
            with open(full, encoding="utf-8") as f:
                text = f.read()
            problems += check_source(path, text, rows)
            if path.startswith("src/"):
                texts[path[len("src/"):]] = text
            if path.endswith(".cc"):
                problems += check_first_include(path, text, os.path.exists(full[:-len(".cc")] + ".h"))
    return problems + check_used(texts, rows) + check_definitions(texts) + check_folders(texts)


def self_test():
    """Each rule must catch its planted violation."""
    rows = {"base": [], "model": ["base"], "kube/codec": ["base", "model"], "kube": ["base", "kube/codec"]}
    head = "// SPDX-License-Identifier: Apache-2.0\n"
    cases = [
        ("src/model/a.cc", head + '#include "kube/client.h"\n', "may not include"),
        ("src/kube/a.cc", head + '#include "model/pod.h"\n', "may not include"),
        ("src/kube/codec/a.cc", head + '#include "kube/client.h"\n', "may not include"),
        ("src/model/a.cc", head + "auto t = std::chrono::system_clock::now();\n", "pure room"),
        ("src/kube/a.h", head + '#pragma once\n#include "json/json.h"\n', "heavy header"),
        ("src/kube/a.h", head, "pragma once"),
        ("src/kube/a.cc", "int a;\n", "SPDX"),
        ("src/kube/a.cc", "// What it is. SPDX-License-Identifier: Apache-2.0\n", "SPDX"),
        ("src/kube/a.cc", head + "x" * 121 + "\n", "columns"),
        ("src/kube/a.cc", head + "\n" * 700, "lines"),
        ("src/kube/a.cc", head + "usleep(5);\n", "not allowed"),
        ("src/kube/a.cc", head + "auto f = testing::TempDir" + "() + \"x\";\n", "not allowed"),
        ("src/kube/a.cc", head + "// see /work" + "/x\n", "outside the product"),
    ]
    failed = [case for case in cases if not any(case[2] in p for p in check_source(case[0], case[1], rows))]
    for path in ("src/kube/codec/ok.cc", "src/kube/codec/deep/ok.cc", "src/kube/ok_test.cc"):
        if check_source(path, head + '#include "model/pod.h"\n', rows):
            failed.append(f"a clean file was refused: {path}")
    if not check_used({"kube/codec/a.cc": '#include "model/pod.h"\n', "kube/a_test.cc": '#include "base/a.h"\n'}, rows):
        failed.append("a permission without an include was accepted")
    if not check_definitions({"kube/a.h": "", "kube/b.cc": ""}) or check_definitions({"kube/a.h": "// b.cc", "kube/b.cc": ""}):
        failed.append("a source that no header names was accepted, or one that a header names was refused")
    if not check_folders({f"kube/{n}.cc": "" for n in range(31)}):
        failed.append("a folder of 31 files was accepted")
    if not check_first_include("src/kube/a.cc", head + "#include <map>\n#include \"kube/a.h\"\n", True):
        failed.append("a header that does not come first was accepted")
    bash = "#!/usr/bin/env bash\n"
    if not check_script("run", bash + "a | grep -q b\n") or not check_script("a.bash", "a |grep -x -Fq b\n"):
        failed.append("a pipe into grep -q was accepted")
    if check_script("run", bash + "a | grep b || grep -q c d\n") or check_script("run", "#!/bin/sh\na | grep -q b\n"):
        failed.append("grep without a pipe, or without pipefail, was refused")
    if not check_rows({"base": ["model"], "model": []}):
        failed.append("an upward arrow in the table was accepted")
    return [f"self-test: rule did not catch {case}" for case in failed]


if __name__ == "__main__":
    found = self_test() if "--self-test" in sys.argv else check_tree()
    print("\n".join(found) if found else "tidy: nothing found")
    sys.exit(1 if found else 0)
