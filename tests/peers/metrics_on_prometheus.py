"""metrics_on_prometheus.py METRICS_SCRAPES FOLDER: feeds the scrapes of two walkthroughs at the default detail to Debian's
Prometheus, and checks that

  - promtool accepts every scrape, and objects only to names that are Karpenter's,
  - promtool accepts the rules of deploy/prometheus, and their unit tests (prometheus_rules.yaml),
  - every panel of deploy/grafana, every recording rule and every query of Karpenter's own dashboards
    (tests/metrics/upstream_queries.tsv) returns a result.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRAPES, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
STEP = 60  # seconds between the scrapes of two steps
REPEAT = 4  # scrapes of each step, so that rates have several samples
# Names that promtool's linter rejects, and that are Karpenter's.
LINT = {
    "karpenter_deprovisioning_actions_performed": "counter",
    "karpenter_nodes_created": "counter",
    "karpenter_nodes_terminated": "counter",
    "karpenter_nodepools_cost_total": "_total",
    "karpenter_cluster_state_node_count": "_count",
    "karpenter_scheduler_ignored_pods_count": "_count",
    "karpenter_scheduler_unschedulable_pods_count": "_count",
    "karpenter_scheduler_pending_pods_by_effective_zone_count": "_count",
    "aws_sdk_go_request_retry_count": "_count",
}


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def fail(message):
    sys.exit(f"FAIL {message}")


def scrapes_of(scenario, detail="standard"):
    folder = WORK / f"{scenario}-{detail}"
    folder.mkdir()
    made = run(SCRAPES, scenario, str(folder), detail)
    if made.returncode != 0:
        fail(made.stderr)
    return [path.read_text() for path in sorted(folder.iterdir(), key=lambda p: int(p.stem))]


def check_format(scrape):
    checked = run("promtool", "check", "metrics", text=scrape)
    if checked.returncode == 1 or "error while linting" in checked.stderr:
        fail(f"promtool check metrics: {checked.stderr}")
    for line in (checked.stdout + checked.stderr).splitlines():
        name, _, problem = line.partition(" ")
        known = LINT.get(name, "_count" if name.endswith("_status_condition_count") else None)
        if known is None or known not in problem:
            fail(f"promtool check metrics: {line}")


def backfill(name, scrapes, end):
    """Makes a TSDB of the scrapes, whose last sample is at `end`."""
    lines, families = {}, []
    begin = end - STEP * len(scrapes) + STEP // REPEAT
    for number, scrape in enumerate(scrapes):
        family = None
        for line in scrape.splitlines():
            if line.startswith("# TYPE"):
                family = line.split()[2]
                if family not in lines:
                    lines[family] = []
                    families.append(family)
            if line.startswith("#"):
                continue
            series, _, value = line.rpartition(" ")
            if "{" in series:
                series = series.replace("{", '{job="karpenter",instance="a",', 1)
            else:
                series += '{job="karpenter",instance="a"}'
            for repeat in range(REPEAT):
                at = begin + number * STEP + repeat * STEP // REPEAT
                lines[family].append(f"{series} {value} {at}")
    text = "".join(f"# TYPE {family} unknown\n" + "\n".join(lines[family]) + "\n" for family in families)
    source, target = WORK / f"{name}.om", WORK / f"{name}.tsdb"
    source.write_text(text + "# EOF\n")
    made = run("promtool", "tsdb", "create-blocks-from", "openmetrics", str(source), str(target))
    if made.returncode != 0:
        fail(f"promtool tsdb create-blocks-from openmetrics: {made.stdout}{made.stderr}")
    return target, begin


class Prometheus:
    """A server on a free port. Ready once the constructor returns: it reads the log until then."""

    def __init__(self, storage):
        config = WORK / "prometheus.yml"
        config.write_text("global: {}\n")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={storage}",
             "--storage.tsdb.retention.time=10y", "--web.listen-address=127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        log, self.url = "", None
        for line in self.process.stdout:
            log += line
            if listening := re.search(r"Listening on.*address=\S*?:(\d+)", line):
                self.url = f"http://127.0.0.1:{listening.group(1)}"
            if "ready to receive web requests" in line:
                break
        if self.url is None or self.process.poll() is not None:
            fail("Prometheus does not start: " + log[-2000:])
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def values(self, query, begin, end):
        parameters = urllib.parse.urlencode({"query": query, "start": begin, "end": end, "step": 15})
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/query_range?{parameters}", timeout=30) as answer:
                result = json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            fail(f"{query}: {error.read().decode()}")
        return [value for series in result for _, value in series["values"] if value != "NaN"]

    def stop(self):
        self.process.terminate()
        self.process.wait()


def expand(expression):
    for variable, value in (("$__rate_interval", "5m"), ("$__interval", "5m"), ("$distribution", "nodepool")):
        expression = expression.replace(variable, value)
    return re.sub(r"\$\w+", ".*", expression)


def panels():
    for path in sorted((ROOT / "deploy/grafana").glob("*.json")):
        for panel in json.loads(path.read_text())["panels"]:
            yield f"{path.stem}: {panel['title']}", [expand(target["expr"]) for target in panel["targets"]]


def recording_rules():
    for path in sorted((ROOT / "deploy/prometheus").glob("*.yaml")):
        for group in yaml.safe_load(path.read_text())["groups"]:
            for rule in group["rules"]:
                if "record" in rule:
                    yield f"{path.stem}: {rule['record']}", [rule["expr"]]


def upstream(era):
    for line in (ROOT / "tests/metrics/upstream_queries.tsv").read_text().splitlines():
        if line.startswith(era + "\t"):
            yield f"Karpenter {era}: {line.partition(chr(9))[2]}", [line.partition("\t")[2]]


def check_queries(name, scrapes, queries):
    end = int(time.time()) // 7200 * 7200 - 60  # before a block's end
    storage, begin = backfill(name, scrapes, end)
    server = Prometheus(storage)
    try:
        empty = [title for title, expressions in queries
                 if not any(server.values(expression, begin, end) for expression in expressions)]
    finally:
        server.stop()
    if empty:
        fail(f"no result on the scrapes of {name}:\n  " + "\n  ".join(empty))


def main():
    consolidate, spot_inflate = scrapes_of("consolidate"), scrapes_of("spot-inflate")
    for scrape in consolidate + spot_inflate + scrapes_of("consolidate", "full")[-3:]:
        check_format(scrape)
    print("ok   promtool accepts the scrapes")
    rules = sorted(str(path) for path in (ROOT / "deploy/prometheus").glob("*.yaml"))
    checked = run("promtool", "check", "rules", *rules)
    if checked.returncode != 0:
        fail(f"promtool check rules: {checked.stdout}{checked.stderr}")
    tested = run("promtool", "test", "rules", str(ROOT / "tests/peers/prometheus_rules.yaml"))
    if tested.returncode != 0:
        fail(f"promtool test rules: {tested.stdout}{tested.stderr}")
    print("ok   promtool accepts the rules, and their tests pass")
    ours = list(panels()) + list(recording_rules())
    check_queries("consolidate", consolidate, ours + list(upstream("v1")))
    check_queries("spot-inflate", spot_inflate, list(upstream("v0.27")))
    print(f"ok   {len(ours)} panels and rules, and Karpenter's own dashboards, have results")


main()
