#!/usr/bin/env python3
"""Tests whether the scenarios find small faults: tools/mutants.py [--count 100] [--seed 1] [--self-test].

Each mutant is one changed line of src/scheduling/*.cc: a comparison or a boolean operator inverted, a sign, a
constant, a statement left out. The checkout is not changed; build/release must contain the scenarios' test program.
A mutant is found if this program fails, crashes, takes more than ten times as long or 4 GiB; the changed file is
compiled with the checks of the standard library, so that an access beyond the end of a vector ends the program.

No mutants are made of
- tests, the checker that the scenarios use, and files that only format messages;
- named constants: they limit the work;
- the joining of words in a message, and CHECK(): it guards against our own bugs;
- reserve() and spend(): they affect time and memory, not the result;
- the input of a hash: it only selects buckets, in which equality decides;
- a.x < b.x of an order to a.x <= b.x: the result is no order, and std::sort is then undefined.
A mutant that does not compile, or compiles to the same code as before, is replaced by another one.
Exit code 1 if less than 90 of 100 are found.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import concurrent.futures
import difflib
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build", "release")
PLACE = os.path.join(ROOT, "build", "mutants")
TARGET = "tests/scenarios/plan_scenarios_test"
LIBRARY = "src/libtenon_scheduling.a"
LEFT_OUT = re.compile(r"(_test|_text)\.cc$|/(check|testing|reference)/")
LEAST = 0.9
MOST_MEMORY = 4 << 30  # bytes: some mutants allocate without end
# (name, old text, new text); clang-format puts spaces round binary operators, never in templates.
OPERATORS = [
    ("relation", r" < ", " <= "), ("relation", r" <= ", " < "), ("relation", r" > ", " >= "), ("relation", r" >= ", " > "),
    ("equality", r" == ", " != "), ("equality", r" != ", " == "),
    ("and", r" && ", " || "), ("or", r" \|\| ", " && "),
    ("plus", r" \+ ", " - "), ("minus", r" - ", " + "), ("plus", r" \+= ", " -= "), ("minus", r" -= ", " += "),
    ("bool", r"\btrue\b", "false"), ("bool", r"\bfalse\b", "true"),
    ("constant", r"(?<![\w.\[])0(?![\w.])", "1"), ("constant", r"(?<![\w.\[])1(?![\w.])", "0"),
    ("bound", r"\bstd::min\b", "std::max"), ("bound", r"\bstd::max\b", "std::min"),
    ("any", r"\bstd::any_of\b", "std::all_of"), ("all", r"\bstd::all_of\b", "std::any_of"),
    ("none", r"\bstd::none_of\b", "std::any_of"),
    ("negated", r"\bif \(!", "if ("), ("negated", r"\bif \((?=[a-z])", "if (!"),
]
STATEMENT = re.compile(r"^\s+(?!return|const|auto|using|case|default|if|for|while|else|std::\w+<)"
                       r"[a-z_][\w.\[\]>-]*(\(.*\)| (\||&|\+|-)?= .*|(\+\+|--));$|^\s+(break|continue);$")
NOT_CODE = re.compile(r'^\s*(//|#|constexpr|static_assert|namespace|\})|CHECK\(|\b(reserve|spend|hash\.add)\(|\badd\(hash\b|\bhash_? = ')
ORDER = re.compile(r"\w*\ba\.(\w+) [<>] \w*\bb\.\1\b|\w*\bb\.(\w+) [<>] \w*\ba\.\2\b")


def code_only(line):
    """Returns the line with strings and its comment blanked, of equal length."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' + "." * (len(m[0]) - 2) + '"', line)
    comment = line.find("//")
    return line if comment < 0 else line[:comment] + " " * (len(line) - comment)


def mutants_of_line(line):
    """Returns (operator, new line) for every mutation of one line."""
    if NOT_CODE.search(line):
        return
    code = code_only(line)
    for name, pattern, instead in OPERATORS:
        if name in ("plus", "minus") and '"' in line:
            continue  # it joins words
        if name == "relation" and "=" in instead and ORDER.search(code):
            continue
        for match in re.finditer(pattern, code):
            if name == "negated" and instead == "if (!" and re.match(r"if \(const|if \(auto|if \([^()]*;", code[match.start():]):
                continue
            yield name, line[:match.start()] + instead + line[match.end():]
    if STATEMENT.match(code):
        yield "left out", re.sub(r"\S.*", ";", line)


def all_mutants(folder):
    found = []
    for path in sorted(glob.glob("src/scheduling/**/*.cc", root_dir=folder, recursive=True)):
        if LEFT_OUT.search(path):  # relative: the checkout itself may be in a folder named check
            continue
        with open(os.path.join(folder, path), encoding="utf-8") as f:
            lines = f.read().split("\n")
        for number, line in enumerate(lines):
            for name, changed in mutants_of_line(line):
                found.append((path, number, name, changed))
    return found


class Bench:
    """Compiles one changed source beside the release build and links it in the place of its own object."""

    def __init__(self):
        os.makedirs(PLACE, exist_ok=True)
        with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as f:
            self.commands = {entry["file"]: entry["command"] for entry in json.load(f)}
        self.batches = {}  # file → the generated source that includes it and its neighbours (TENON_BATCH), and its text
        for batch in filter(lambda file: "/Unity/" in file, self.commands):
            with open(batch, encoding="utf-8") as f:
                text = f.read()
            self.batches.update({file: (batch, text) for file in re.findall(r'#include "(.*)"', text)})
        commands = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", TARGET], capture_output=True, text=True,
                                  check=True).stdout.strip().split("\n")
        self.originals = {}  # file → its object code
        self.lock = threading.Lock()
        self.link = next(part for part in commands[-1].split(" && ") if LIBRARY in part)
        begun = time.monotonic()
        if not self.passes(os.path.join(BUILD, TARGET), 3600):
            sys.exit("mutants: the scenarios fail without any mutant")
        self.limit = 20 + 10 * (time.monotonic() - begun)  # a mutant may also loop without end: that is found, too

    def passes(self, program, limit):
        try:
            return subprocess.run(["prlimit", f"--as={MOST_MEMORY}", program, "--gtest_fail_fast", "--gtest_brief=1"],
                                  capture_output=True, check=False, timeout=limit).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def compile(self, path, lines, place):
        """Returns the object file of the changed lines in place of `path`; None if they do not compile."""
        source, original = os.path.join(place, os.path.basename(path)), os.path.join(ROOT, path)
        with open(source, "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
        if original in self.batches:  # the object takes the place of the whole batch
            batch, text = self.batches[original]
            text = text.replace(f'"{original}"', f'"{source}"')
            source, original = os.path.join(place, "batch.cxx"), batch
            with open(source, "w", encoding="utf-8") as f:
                f.write(text)
        command = self.commands[original].replace("-c " + original, "-c " + source).replace(" -O2 ", " -O1 ")
        command = re.sub(r"-o \S+", f"-D_GLIBCXX_ASSERTIONS -fmacro-prefix-map={place}= -o {source}.o", command)
        done = subprocess.run(command, shell=True, cwd=BUILD, capture_output=True, check=False)
        return source + ".o" if done.returncode == 0 else None

    def original(self, path, lines):
        with self.lock:
            if path not in self.originals:
                with tempfile.TemporaryDirectory(prefix="original-", dir=PLACE) as place:
                    with open(self.compile(path, lines, place), "rb") as f:
                        self.originals[path] = f.read()
            return self.originals[path]

    def verdict(self, number, mutant):
        """Returns killed, survived, does not compile, or same code."""
        path, line, _, changed = mutant
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            lines = f.read().split("\n")
        original = self.original(path, lines)
        lines[line] = changed
        with tempfile.TemporaryDirectory(prefix=f"{number}-", dir=PLACE) as place:
            compiled, program = self.compile(path, lines, place), os.path.join(place, "scenarios")
            if compiled is None:
                return "does not compile"
            with open(compiled, "rb") as f:
                if f.read() == original:
                    return "same code"
            command = self.link.replace("-o " + TARGET, "-o " + program).replace(LIBRARY, compiled + " " + LIBRARY, 1)
            if subprocess.run(command, shell=True, cwd=BUILD, capture_output=True, check=False).returncode != 0:
                return "does not compile"
            return "survived" if self.passes(program, self.limit) else "killed"


def diff(path, number, changed):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        before = f.read().split("\n")
    after = list(before)
    after[number] = changed
    return "\n".join(difflib.unified_diff(before, after, path, path, n=1, lineterm=""))


def self_test():
    ops = [(name, new) for name, new in mutants_of_line('  if (a < b && text != "x < y") count += 1;  // 1 < 2')]
    assert ("relation", '  if (a <= b && text != "x < y") count += 1;  // 1 < 2') in ops, ops
    assert ("and", '  if (a < b || text != "x < y") count += 1;  // 1 < 2') in ops, ops
    assert ("constant", '  if (a < b && text != "x < y") count += 0;  // 1 < 2') in ops, ops
    assert not any("<=" in new and "x <= y" in new for _, new in ops), ops
    assert list(mutants_of_line("  // a < b")) == [] and list(mutants_of_line("constexpr int kA = 1;")) == []
    assert list(mutants_of_line("  budget_.spend(1 + n);")) == [] and list(mutants_of_line("    hash.add(0);")) == []
    assert list(mutants_of_line("  return a.price < b.price;")) == []
    assert [new for _, new in mutants_of_line("  return a < b;")] == ["  return a <= b;"]
    assert list(mutants_of_line("  pods.push_back(pod);")) == [("left out", "  ;")]
    assert list(mutants_of_line("  std::vector<int> list;")) == []
    assert not any(new == "  ;" for _, new in mutants_of_line("  return done;"))
    everything = all_mutants(ROOT)
    assert len(everything) > 1000, len(everything)
    assert not any("_test.cc" in path or "/check/" in path for path, _, _, _ in everything)
    print("mutants: self-test passed,", len(everything), "mutants to choose from")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--self-test", action="store_true", help="the tool's own tests")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    bench = Bench()
    candidates = all_mutants(ROOT)
    random.Random(options.seed).shuffle(candidates)
    done, killed, survivors, at = 0, 0, [], 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=options.jobs) as pool:
        while done < options.count and at < len(candidates):
            batch = list(enumerate(candidates))[at:at + options.count - done]  # in full, so that --jobs changes nothing
            at += len(batch)
            verdicts = pool.map(lambda item: bench.verdict(*item), batch)
            for (_, mutant), verdict in zip(batch, verdicts):
                path, line, name, changed = mutant
                print(f"{verdict:16} {path}:{line + 1} {name}", flush=True)
                done += verdict in ("killed", "survived")
                killed += verdict == "killed"
                if verdict == "survived":
                    survivors.append(diff(path, line, changed))
    for survivor in survivors:
        print("\nsurvived:\n" + survivor)
    print(f"\n{killed} of {done} killed ({100 * killed // max(done, 1)} %)")
    return 0 if killed >= LEAST * done else 1


if __name__ == "__main__":
    sys.exit(main())
