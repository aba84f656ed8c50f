#!/usr/bin/env python3
"""Draws the pictures of the documents: tools/pictures.py [--check].

Writes docs/pictures/*.svg. With --check, writes nothing and fails if a committed file differs from what this script
draws. Equal scripts draw equal bytes. Each picture has a white background, so that it is readable in light and in dark
mode. A text that does not fit its box is an error.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys
from xml.sax.saxutils import escape

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "docs", "pictures")
INK, GREY, LINE = "#1f2328", "#59636e", "#8b949e"
PAPER, BLUE, GREEN, YELLOW, RED = "#f6f8fa", "#ddf4ff", "#dafbe1", "#fff8c5", "#ffebe9"
POD_COLOURS = {"api": "#54aeff", "worker": "#4ac26b", "cache": "#d4a72c"}
WIDTH_OF_A_LETTER = 0.6  # of the size of the font: more than the mean of common fonts


class Picture:
    """An SVG of this size in pixels, drawn in order."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.parts = []

    def add(self, text):
        self.parts.append(text)

    def text(self, x, y, words, size=13, colour=INK, anchor="middle", weight="normal", room=None):
        """Writes one line, its baseline at y. `room`: its maximum width in pixels."""
        wide = len(words) * size * WIDTH_OF_A_LETTER * (1.06 if weight == "bold" else 1)
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
        if wide > (room or self.width) or left < 0 or left + wide > self.width:
            raise ValueError(f"{self.title}: no room for {words!r}: {wide:.0f} pixels")
        self.add(f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" '
                 f'font-weight="{weight}">{escape(words)}</text>')

    def rect(self, x, y, wide, high, fill, stroke=LINE, radius=0, dashed=False):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" rx="{radius}" fill="{fill}" '
                 f'stroke="{stroke}"{dash}/>')

    def box(self, x, y, wide, high, head, lines=(), fill=PAPER):
        """Draws a box with a bold first line and smaller ones below it, centred."""
        self.rect(x, y, wide, high, fill, radius=6)
        size, step = 12, 16
        top = y + (high - 16 - step * len(lines)) / 2 + 13
        self.text(x + wide / 2, top, head, 13, weight="bold", room=wide - 8)
        for i, line in enumerate(lines):
            self.text(x + wide / 2, top + step * (i + 1), line, size, GREY, room=wide - 8)

    def arrow(self, *points, words="", at=None, anchor="middle"):
        """Draws a line through the points with an arrow head. `at`: the position of its text."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.add(f'<polyline points="{path}" fill="none" stroke="{GREY}" stroke-width="1.5" '
                 'marker-end="url(#head)"/>')
        if words:
            self.text(at[0], at[1], words, 12, GREY, anchor)

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" '
                'font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif">\n'
                f"<title>{escape(self.title)}</title>\n"
                '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
                f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{GREY}"/></marker></defs>\n'
                f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"


def data_flow():
    p = Picture(860, 490, "From pending pods to nodes, and back")
    p.box(20, 60, 200, 100, "Kubernetes API server",
          ["pods, nodes, DaemonSets,", "NodePools, NodeClaims,", "PodDisruptionBudgets"], BLUE)
    p.box(20, 200, 200, 84, "AWS", ["instance types, zones,", "prices, reservations"], YELLOW)
    p.box(300, 110, 160, 120, "Snapshot", ["the cluster and what", "can be launched;", "immutable"])
    p.arrow((220, 110), (260, 110), (260, 150), (300, 150), words="watch", at=(250, 102))
    p.arrow((220, 242), (260, 242), (260, 190), (300, 190), words="read", at=(250, 260))
    p.rect(530, 10, 320, 316, "#ffffff", radius=8, dashed=True)
    p.text(690, 32, "pure functions that return plans", 12, GREY)
    p.box(545, 44, 290, 84, "Provisioning", ["solve(): pending pods → existing", "nodes or new nodes"], GREEN)
    p.box(545, 138, 290, 84, "Disruption", ["decide_disruption(): empty, drifted,", "underused nodes → moves"], GREEN)
    p.box(545, 232, 290, 84, "Lifecycle", ["launch, registration, expiry,", "interruption, drain, termination"], GREEN)
    p.arrow((460, 170), (530, 170))
    p.box(590, 390, 200, 72, "Applier", ["performs plans;", "the only writer"])
    p.arrow((690, 326), (690, 390), words="plan, with reasons", at=(702, 363), anchor="start")
    p.box(300, 390, 200, 72, "NodeClaim", ["one node to launch,", "with its instance types"], BLUE)
    p.arrow((590, 426), (500, 426), words="write", at=(545, 418))
    p.box(20, 390, 200, 72, "EC2 Fleet", ["launches an instance,", "which joins as a Node"], YELLOW)
    p.arrow((300, 426), (220, 426), words="launch", at=(260, 418))
    p.arrow((30, 390), (30, 340), (8, 340), (8, 110), (20, 110))
    p.text(40, 344, "the Node is ready; kube-scheduler binds the pods", 12, GREY, "start")
    return p


FREE = {  # (cpu in millicores, memory in MiB) for pods, of each instance type of the examples
    "c6i.large": (1930, 3114), "r6i.large": (1930, 14481), "c6i.xlarge": (3920, 6584), "m6i.xlarge": (3920, 14162),
    "r6i.xlarge": (3920, 29317), "m6i.2xlarge": (7910, 29317), "r6i.2xlarge": (7910, 59627)}
PRICE = {"c6i.large": 0.085, "r6i.large": 0.126, "c6i.xlarge": 0.17, "m6i.xlarge": 0.192, "r6i.xlarge": 0.252,
         "m6i.2xlarge": 0.384, "r6i.2xlarge": 0.504}
SIZE = {"api": (1750, 1024), "worker": (1500, 512), "cache": (250, 12288)}
BAR = 300  # pixels of a full bar


def bars(p, x, y, name, instance_type, pods, fill="#ffffff", note=""):
    """Draws a node as two bars, one for each resource; 74 pixels high."""
    title = f"{name}: {instance_type}, {PRICE[instance_type]:g} USD/h"
    p.text(x, y + 12, title, 12, anchor="start", weight="bold")
    if note:
        p.text(x + 40 + BAR, y + 12, note, 12, GREY, "end")
    for row, resource in enumerate(("CPU", "mem")):
        top, free = y + 20 + 24 * row, FREE[instance_type][row]
        p.text(x, top + 14, resource, 12, GREY, "start")
        p.rect(x + 40, top, BAR, 20, fill, dashed=bool(note) and fill == RED)
        at = x + 40
        used = 0
        for pod in pods:
            wide = BAR * SIZE[pod][row] / free
            used += SIZE[pod][row]
            p.rect(round(at, 1), top, round(wide, 1), 20, POD_COLOURS[pod], "#ffffff")
            at += wide
        if used > free:
            raise ValueError(f"{name}: {resource} is too full")
        p.text(x + 48 + BAR, top + 14, f"{(200 * used + free) // (2 * free)} %", 12, GREY, "start")


def legend(p, x, y):
    for pod, words in (("api", "api: 1750m, 1 GiB"), ("worker", "worker: 1500m, 512 MiB"),
                       ("cache", "cache: 250m, 12 GiB")):
        p.rect(x, y - 11, 14, 14, POD_COLOURS[pod], "#ffffff")
        p.text(x + 20, y, words, 12, GREY, "start")
        x += 40 + 12 * WIDTH_OF_A_LETTER * len(words)


def packing():
    p = Picture(860, 310, "Nine pods: first fit and the plan")
    legend(p, 20, 24)
    for x, head, nodes in (
            (20, "First fit", [("first", "m6i.2xlarge", ["api"] * 2 + ["worker"] * 2 + ["cache"]),
                               ("second", "r6i.2xlarge", ["worker"] + ["cache"] * 3)]),
            (450, "The plan", [("new-0", "m6i.xlarge", ["api", "worker", "cache"]),
                               ("new-1", "r6i.xlarge", ["api", "worker", "cache", "cache"]),
                               ("new-2", "r6i.large", ["worker", "cache"])])):
        total = sum(PRICE[instance_type] for _, instance_type, _ in nodes)
        p.text(x, 56, f"{head}: {len(nodes)} nodes, {total:g} USD/h", 14, anchor="start", weight="bold")
        for i, (name, instance_type, pods) in enumerate(nodes):
            bars(p, x, 68 + 80 * i, name, instance_type, pods)
    return p


def solver():
    p = Picture(860, 560, "The stages of solve()")
    column, wide = 290, 280

    def stage(y, head, lines, fill=PAPER, high=66):
        p.box(column, y, wide, high, head, lines, fill)

    def side(y, x, name, words):
        p.text(x, y, name, 12, anchor="start", weight="bold")
        p.text(x, y + 16, words, 12, GREY, "start")

    stage(16, "Snapshot", ["pods, nodes, NodePools, prices"], BLUE, 50)
    stage(90, "compile", ["classes, forms, variants,", "rows, groups"])
    stage(180, "first fit", ["a valid plan, at any price;", "zones and preferences are settled"])
    p.box(20, 290, 250, 82, "branch and bound",
          ["up to 6 pods and 8 nodes:", "every pod in every bin", "that accepts it"], GREEN)
    stage(290, "packing", ["kinds of pods, columns (nodes", "that can be launched), packs"], GREEN, 82)
    p.box(590, 290, 250, 82, "search",
          ["dynamic programme, covering,", "linear programme, batches,", "trades, few nodes at a time"], GREEN)
    stage(420, "finish", ["NodeClaims with all instance types", "that fit; reasons; runners-up"])
    stage(508, "Solution", [], BLUE, 36)
    p.arrow((430, 66), (430, 90))
    p.arrow((430, 156), (430, 180))
    p.arrow((430, 246), (430, 290))
    p.arrow((330, 246), (330, 268), (145, 268), (145, 290))
    p.arrow((570, 316), (590, 316))
    p.arrow((715, 372), (715, 396), (480, 396), (480, 420), words="a new State checks every rule", at=(604, 412))
    p.arrow((145, 372), (145, 396), (380, 396), (380, 420))
    p.arrow((430, 486), (430, 508))
    p.box(20, 486, 220, 58, "check_solution()", ["shares no code with solve()"], YELLOW)
    p.box(620, 486, 220, 58, "lower_bound()", ["the least that a plan costs"], YELLOW)
    p.arrow((290, 526), (240, 526))
    p.arrow((570, 526), (620, 526))
    side(112, 590, "problem.h, compile_*.cc", "names become indexes")
    side(204, 590, "state.h, first_fit.h", "Karpenter's order")
    side(116, 20, "Equal input, equal bytes", "work is counted in steps,")
    p.text(20, 148, "never in seconds", 12, GREY, "start")
    return p


def disruption_pass():
    p = Picture(860, 600, "One disruption pass")
    x, wide = 30, 330
    stages = [("Candidates", ["nodes with a NodeClaim that nothing keeps:",
                              "no annotation, no PodDisruptionBudget"], BLUE),
              ("1. Emptiness", ["nodes without pods, the most expensive",
                                "for each disruption first: one move"], GREEN),
              ("2. Drift", ["empty nodes, then the longest drifted:", "at most 10 moves, at any price"], GREEN),
              ("3. Consolidation", ["sets of nodes whose removal saves money"], GREEN),
              ("Pass", ["moves, and why each other node stays"], BLUE)]
    tops = [20, 120, 220, 320, 500]
    for (head, lines, fill), top in zip(stages, tops):
        p.box(x, top, wide, 66, head, lines, fill)
    for above, below in zip(tops, tops[1:]):
        p.arrow((x + wide / 2, above + 66), (x + wide / 2, below))
    p.text(x + wide / 2 + 10, 206, "these moves count as made", 12, GREY, "start")
    p.text(x + wide / 2 + 10, 306, "these moves count as made", 12, GREY, "start")
    left, w = 480, 350
    p.rect(left - 20, 60, w + 40, 488, "#ffffff", dashed=True, radius=8)
    p.text(left + w / 2, 82, "the search of consolidation", 13, weight="bold")
    steps = [("Estimate", ["remove the nodes from one State, place their",
                           "pods by first fit, undo: the cheapest way"]),
             ("Judge", ["narrow the replacements to lower prices;", "thresholds, annotations, NodePool policies"]),
             ("Forecast", ["place the pods as kube-scheduler does,", "in up to 100 orders, and one more: all fit?"]),
             ("Carry out", ["the move stays in the State; the next", "question starts from there"])]
    for i, (head, lines) in enumerate(steps):
        p.box(left, 98 + 92 * i, w, 66, head, lines)
        if i:
            p.arrow((left + w / 2, 98 + 92 * i - 26), (left + w / 2, 98 + 92 * i))
    p.box(left, 466, w, 66, "Compare with single commands",
          ["above 8 candidates: a command that gains", "more than all moves replaces them"], YELLOW)
    p.arrow((left + w / 2, 440), (left + w / 2, 466))
    p.arrow((x + wide, 353), (left - 20, 353))
    p.arrow((left - 20, 533), (x + wide, 533))
    return p


def disruption_example():
    p = Picture(860, 530, "Five nodes before and after a pass")
    legend(p, 20, 24)
    p.text(20, 56, "Before: 0.979 USD/h", 14, anchor="start", weight="bold")
    p.text(450, 56, "After: 0.447 USD/h", 14, anchor="start", weight="bold")
    before = [("node-a", "c6i.large", [], "removed: empty"), ("node-b", "r6i.large", ["cache"], "removed: drifted"),
              ("node-c", "m6i.xlarge", ["api"], ""), ("node-d", "m6i.xlarge", ["api"], "replaced"),
              ("node-e", "m6i.2xlarge", ["worker"] * 3, "replaced")]
    after = [("node-c", "m6i.xlarge", ["api", "cache", "worker"], ""), ("new-0", "c6i.xlarge", ["api", "worker"], ""),
             ("new-1", "c6i.large", ["worker"], "")]
    for nodes, total in ((before, "0.979"), (after, "0.447")):
        assert f"{sum(PRICE[n[1]] for n in nodes):g}" == total, sum(PRICE[n[1]] for n in nodes)
    for i, (name, instance_type, pods, note) in enumerate(before):
        bars(p, 20, 68 + 90 * i, name, instance_type, pods, RED if note else "#ffffff", note)
    for i, (name, instance_type, pods, note) in enumerate(after):
        bars(p, 450, 68 + 90 * i, name, instance_type, pods, "#ffffff", note)
    return p


PICTURES = {"data-flow": data_flow, "packing": packing, "solver": solver, "disruption-pass": disruption_pass,
            "disruption-example": disruption_example}


def main():
    drawn = {name + ".svg": draw().svg() for name, draw in PICTURES.items()}
    os.makedirs(FOLDER, exist_ok=True)
    wrong = [name for name in sorted(os.listdir(FOLDER)) if name not in drawn]
    for name, text in drawn.items():
        path = os.path.join(FOLDER, name)
        if "--check" not in sys.argv:
            with open(path, "w", encoding="utf-8", newline="\n") as f:
                f.write(text)
            continue
        if not os.path.exists(path):
            wrong.append(name)
            continue
        with open(path, encoding="utf-8", newline="") as f:
            if f.read() != text:
                wrong.append(name)
    for name in wrong:
        print(f"docs/pictures/{name}: not what tools/pictures.py draws")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
