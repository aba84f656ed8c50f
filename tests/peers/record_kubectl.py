"""Runs the stories of kubectl_stories.py through a recording proxy; one file of JSON lines a story.

    record_kubectl.py KUBECTL FOLDER_OF_THE_CONTROL_PLANE OUTPUT_FOLDER [STORY…]

A file begins with a line about versions. Then, for each command, a line {"command": […], "exit": N} and the requests
that it made, in the order in which they began. Requests marked "driver" are those of another user meanwhile.
"""
# SPDX-License-Identifier: Apache-2.0
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

import yaml

import kubectl_stories
from recording_proxy import Proxy, Recording

DIFFERENCES = pathlib.Path(__file__).parent.parent / "recorded" / "differences.json"
MAX_BYTES = 256 * 1024  # of one recorded file
PATIENCE = 30  # seconds: for one kubectl, and for one event


class Stage:
    """The tools of a story: kubectl, files, and the requests of another user."""

    def __init__(self, kubectl, version, proxy, home):
        self.kubectl_path, self.version, self.proxy, self.home = kubectl, version, proxy, home
        self.recording = None

    def modern(self):
        return self.version >= (1, 25)

    def file(self, name, text):
        path = self.home / name
        path.write_text(text)
        return str(path)

    def driver(self, method, path, body=None, kind="application/json"):
        """Sends a request as another user; returns the answer."""
        url = urllib.parse.urlsplit(self.proxy.url)
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=PATIENCE)
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {"X-Driver": "1", "Content-Type": kind, "Accept": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:500]}")
        return json.loads(text)

    def patch_status(self, path, status):
        return self.driver("PATCH", path + "/status", {"status": status}, "application/merge-patch+json")

    def await_events(self, wanted):
        """Waits until the story's last watch has delivered that many events."""
        with self.recording.event_seen:
            def enough():
                watches = [line for line in self.recording.lines if "events" in line]
                return watches and len(watches[-1]["events"]) >= wanted
            if not self.recording.event_seen.wait_for(enough, PATIENCE):
                raise RuntimeError("the watch did not show %d events" % wanted)

    def k(self, *arguments, exit=0, editor=None, during=None, events=None, stdin=None):
        """Runs kubectl. `during` runs once kubectl watches. With `events` kubectl is ended after that many of them."""
        line = self.recording.add({"command": [self.anonymous(argument) for argument in arguments]})
        environment = dict(os.environ, HOME=str(self.home), KUBE_EDITOR=editor or "false", KUBECONFIG=str(self.home / "kubeconfig"))
        self.recording.streaming.clear()
        process = subprocess.Popen([self.kubectl_path, *arguments], env=environment, text=True, cwd=self.home,
                                   stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            if during or events:
                if not self.recording.streaming.wait(PATIENCE):
                    raise RuntimeError("no watch: " + process.communicate(timeout=1)[0])
                if during:
                    during()
                if events:
                    self.await_events(events)
                    process.terminate()
            output = process.communicate(stdin, timeout=PATIENCE)[0]
        finally:
            process.kill()
        line["exit"] = 0 if events else process.returncode
        if not events and process.returncode != exit:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: exit {process.returncode}\n{output}")
        return output

    def setup(self, what, act):
        """Sends requests that kubectl does not make."""
        self.recording.add({"command": ["(driver)", what], "exit": 0})
        act()

    def anonymous(self, argument):
        return argument.replace(str(self.home) + "/", "")


def kubeconfig(url):
    return yaml.safe_dump({
        "apiVersion": "v1", "kind": "Config", "current-context": "recorded",
        "clusters": [{"name": "recorded", "cluster": {"server": url}}],
        "users": [{"name": "recorded", "user": {}}],
        "contexts": [{"name": "recorded", "context": {"cluster": "recorded", "user": "recorded"}}]})


def control_plane(folder):
    config = yaml.safe_load((folder / "kubeconfig").read_text())
    return config["clusters"][0]["cluster"]["server"], str(folder / "ca.crt"), config["users"][0]["user"]["token"]


def main():
    kubectl, folder, output, only = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4:]
    output.mkdir(parents=True, exist_ok=True)
    groups = set(json.loads(DIFFERENCES.read_text())["groups"])
    client = json.loads(subprocess.run([kubectl, "version", "--client", "-o", "json"], check=True, capture_output=True,
                                       text=True).stdout)["clientVersion"]
    version = tuple(int(re.match(r"\d+", client[part]).group()) for part in ("major", "minor"))
    proxy = Proxy(*control_plane(folder))
    with tempfile.TemporaryDirectory() as home:
        home = pathlib.Path(home)
        (home / "kubeconfig").write_text(kubeconfig(proxy.url))
        stage = Stage(kubectl, version, proxy, home)
        # A warm cache: discovery is requested and recorded by the story about it, and by no other.
        proxy.record(Recording(groups))
        stage.recording = proxy.handler.recording
        stage.k("api-resources")
        server = stage.driver("GET", "/version")["gitVersion"]
        for name, story in kubectl_stories.STORIES.items():
            if only and name not in only:
                continue
            stage.recording = Recording(groups)
            proxy.record(stage.recording)
            story(stage)
            lines = [{"story": name, "kubectl": client["gitVersion"].partition("+")[0], "server": server}, *stage.recording.lines]
            text = "".join(json.dumps(line, separators=(",", ":"), sort_keys=False, ensure_ascii=False) + "\n" for line in lines)
            if len(text.encode()) > MAX_BYTES:
                raise RuntimeError(f"{name}: {len(text.encode())} bytes are too many for one file")
            (output / (name + ".jsonl")).write_text(text)
            print(f"{name}: {sum('command' in line for line in lines)} commands, "
                  f"{sum('request' in line for line in lines)} requests, {len(text)} bytes")
    proxy.close()


if __name__ == "__main__":
    main()
