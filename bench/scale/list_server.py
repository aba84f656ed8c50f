"""list_server.py RECORDED: an API server that serves a recorded cluster (recorded.py) over plain HTTP, and prints its port.
With AWS_ENDPOINT_URL in its environment, it launches the instances of the nodes there first (fleet.py).

Lists come in pages as they were recorded, byte by byte; watches send what changes after them. Objects can be created,
replaced, patched (merge patches) and deleted, with finalizers and resource versions, which is what the controller does. The
server judges no object. A kind without recorded objects has an empty list, except the optional ones, which are unknown.
Beside the API:

  POST /bench/add      stores the objects of the body, one a line: their watchers see them
  GET  /bench/created  the creation of each NodeClaim: {"name": [seconds since the epoch, names of pods]}
  GET  /bench/events   the number of events by reason
  GET  /bench/writes   the number of changes by resource
"""
# SPDX-License-Identifier: Apache-2.0
import collections
import datetime
import gc
import json
import os
import re
import sys
import threading
import time
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fleet  # noqa: E402

PROVIDER_ID = re.compile(rb"aws:///([a-z0-9-]+)/(i-[0-9a-f]+)")
TYPE = re.compile(rb'"node.kubernetes.io/instance-type":"([a-z0-9.]+)"')
PLURALS = {"Node": "nodes", "NodeClaim": "nodeclaims", "NodePool": "nodepools", "EC2NodeClass": "ec2nodeclasses", "Pod": "pods"}
UNKNOWN = {"provisioners", "awsnodetemplates", "nodeoverlays", "capacitybuffers"}
PATH = re.compile(r"/(?:api|apis/[^/]+)/[^/]+(?:/namespaces/([^/]+))?/([^/]+)(?:/([^/]+))?(?:/([^/]+))?")
PODS_NOTE = "tenon.dev/pods"
BOOKMARK_SECONDS = 30
MAX_PAGE = 1 << 62
HEAD = 60  # bytes of a line that say its kind


class Gone(Exception):
    pass


class Kind:
    """The objects of one resource by namespace and name, as text, and the changes since the start."""

    def __init__(self):
        self.texts = {}  # (namespace, name) → bytes
        self.order = None  # the keys as they are listed; None: not known
        self.changes = []  # (version, bytes of an event)

    def keys(self):
        if self.order is None:
            self.order = sorted(self.texts)
        return self.order


def put_instances(lines):
    """Puts the ids of instances that exist into the lines."""
    machines = {}  # recorded id → type and zone
    several = [i for i, line in enumerate(lines) if b'"kind":"Pod"' not in line[:HEAD]]  # few of the lines
    for line in (lines[i] for i in several):
        if found := PROVIDER_ID.search(line):
            machines[found[2]] = (TYPE.search(line)[1].decode(), found[1].decode())
    launched = fleet.launch(os.environ, collections.Counter(machines.values()))
    ids = {recorded: launched[machine].pop().encode() for recorded, machine in machines.items()}
    for i in several:
        lines[i] = PROVIDER_ID.sub(lambda found: b"aws:///" + found[1] + b"/" + ids[found[2]], lines[i])


class Store:
    def __init__(self, path):
        self.kinds = collections.defaultdict(Kind)
        self.changed = threading.Condition()
        self.version = 2 * 10**9  # above each recorded one
        self.created, self.events, self.writes = {}, collections.Counter(), collections.Counter()
        with open(path, "rb") as file:
            lines = file.readlines()
            if os.environ.get("AWS_ENDPOINT_URL"):
                put_instances(lines)
            for line in lines:
                kind = self.kinds[PLURALS[re.search(rb'"kind":"(\w+)","metadata"', line)[1].decode()]]
                kind.texts[self.key_of(line)] = line.rstrip(b"\n")

    @staticmethod
    def key_of(line):
        # json.loads would take a minute for all of them.
        at = line.index(b'"metadata":{')
        name = re.search(rb'"name":"([^"]+)","resourceVersion"', line[at:])[1].decode()
        space = re.search(rb'"uid":"[0-9a-f-]+"(?:,"ownerReferences":\[[^]]*\])?,"namespace":"([^"]+)"', line[at:])
        return (space[1].decode() if space else "", name)

    def put(self, plural, key, document, event):
        """Call it with the lock."""
        self.version += 1
        self.writes[plural] += 1
        document["metadata"]["resourceVersion"] = str(self.version)
        text = json.dumps(document, separators=(",", ":")).encode()
        kind = self.kinds[plural]
        if event == "DELETED":
            kind.texts.pop(key, None)
        else:
            kind.texts[key] = text
        if event != "MODIFIED":
            kind.order = None
        kind.changes.append((self.version, b'{"type":"' + event.encode() + b'","object":' + text + b"}\n"))
        self.changed.notify_all()
        return text

    def get(self, plural, key):
        text = self.kinds[plural].texts.get(key)
        return json.loads(text) if text else None


def merge(into, patch):
    if not isinstance(patch, dict):
        return patch
    out = dict(into) if isinstance(into, dict) else {}
    for name, value in patch.items():
        if value is None:
            out.pop(name, None)
        else:
            out[name] = merge(out.get(name), value)
    return out


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 20

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def refuse(self, status, reason, name="", message=""):
        self.answer(status, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": status,
                             "message": message or reason, "details": {"name": name}})

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def target(self):
        """Returns namespace, plural, name, subresource, query; plural is None for another path."""
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        found = PATH.fullmatch(url.path)
        space, plural, name, sub = found.groups() if found else (None, None, None, None)
        if plural is None and url.path.startswith("/api/v1/namespaces"):
            plural = "namespaces"
        return space or "", plural, urllib.parse.unquote(name or ""), sub, query

    def do_GET(self):
        space, plural, name, _, query = self.target()
        if self.path == "/version":
            return self.answer(200, {"gitVersion": "v1.33.1", "major": "1", "minor": "33"})
        if self.path == "/bench/created":
            return self.answer(200, store.created)
        if self.path == "/bench/events":
            return self.answer(200, store.events)
        if self.path == "/bench/writes":
            return self.answer(200, store.writes)
        if plural is None or plural in UNKNOWN:
            return self.refuse(404, "NotFound")
        if name:
            text = store.kinds[plural].texts.get((space, name))
            return self.answer(200, text) if text else self.refuse(404, "NotFound", name)
        if "fieldSelector" in query:
            return self.selected(plural, query)
        return self.watch(plural, query) if query.get("watch") else self.page(plural, query)

    def selected(self, plural, query):
        """Objects by their name or, pods, by their node; nothing of them is watched."""
        if query.get("watch"):
            return self.watch("none", query)
        with store.changed:
            version = store.version
        wanted = json.dumps(query["fieldSelector"].partition("=")[2]).encode()
        items = [text for text in store.kinds[plural].texts.values() if wanted in text]
        return self.list_of(items, version, "")

    def list_of(self, items, version, token):
        meta = {"resourceVersion": str(version)}
        if token:
            meta["continue"] = token
        return self.answer(200, b'{"kind":"List","apiVersion":"v1","metadata":' + json.dumps(meta).encode() +
                           b',"items":[' + b",".join(items) + b"]}")

    def page(self, plural, query):
        start, _, version = query.get("continue", "0:").partition(":")
        with store.changed:
            kind, start = store.kinds[plural], int(start)
            version = version or str(store.version)
            end = start + (int(query.get("limit", 0)) or MAX_PAGE)
            keys = kind.keys()
            items = [kind.texts[key] for key in keys[start:end] if key in kind.texts]
            token = f"{end}:{version}" if end < len(keys) else ""
        return self.list_of(items, version, token)

    def watch(self, plural, query):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        seen, kind = int(query.get("resourceVersion") or 0), store.kinds[plural]
        ends = time.time() + int(query.get("timeoutSeconds", 240))
        with store.changed:
            at = next((i for i, (version, _) in enumerate(kind.changes) if version > seen), len(kind.changes))
        try:
            while time.time() < ends:
                with store.changed:
                    # A change of another kind wakes this watch as well, and its client gets nothing for it.
                    store.changed.wait_for(lambda: len(kind.changes) > at, min(BOOKMARK_SECONDS, max(ends - time.time(), 0)))
                    new, version = kind.changes[at:], store.version
                at += len(new)
                texts = [text for _, text in new]
                if not texts:
                    texts = [b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"%d"}}}\n' % version]
                for text in texts:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def do_POST(self):
        body = self.body()
        if self.path == "/bench/add":
            with store.changed:
                for line in body.splitlines():
                    document = json.loads(line)
                    meta = document["metadata"]
                    store.put(PLURALS[document["kind"]], (meta.get("namespace", ""), meta["name"]), document, "ADDED")
            return self.answer(200, {})
        space, plural, _, _, _ = self.target()
        document = json.loads(body)
        if plural == "events":
            with store.changed:
                store.events[document.get("reason", "")] += 1
            return self.answer(201, document)
        meta = document["metadata"]
        key = (space, meta["name"])
        with store.changed:
            if key in store.kinds[plural].texts:
                return self.refuse(409, "AlreadyExists", meta["name"])
            meta.update(uid=str(uuid.uuid4()), creationTimestamp=now(), generation=1)
            if plural == "nodeclaims":
                store.created[meta["name"]] = [time.time(), meta.get("annotations", {}).get(PODS_NOTE, "").split(",")]
            text = store.put(plural, key, document, "ADDED")
        return self.answer(201, text)

    def do_PATCH(self):
        space, plural, name, sub, _ = self.target()
        patch = json.loads(self.body())
        return self.change((space, name), plural, patch, lambda before: merge(before, patch if sub != "status" else {
            "metadata": patch.get("metadata", {}), "status": patch.get("status", {})}))

    def do_PUT(self):
        space, plural, name, _, _ = self.target()
        document = json.loads(self.body())
        return self.change((space, name), plural, document, lambda before: merge(before, document))

    def change(self, key, plural, given, changed):
        with store.changed:
            before = store.get(plural, key)
            if plural == "events" and before is None:
                return self.answer(200, given)
            if before is None:
                return self.refuse(404, "NotFound", key[1])
            version = given.get("metadata", {}).get("resourceVersion")
            if version and version != before["metadata"]["resourceVersion"]:
                return self.refuse(409, "Conflict", key[1], "the object has been modified")
            after = changed(before)
            if after.get("spec") != before.get("spec"):
                after["metadata"]["generation"] = before["metadata"].get("generation", 1) + 1
            done = after["metadata"].get("deletionTimestamp") and not after["metadata"].get("finalizers")
            text = store.put(plural, key, after, "DELETED" if done else "MODIFIED")
        return self.answer(200, text)

    def do_DELETE(self):
        space, plural, name, _, _ = self.target()
        self.body()
        with store.changed:
            before = store.get(plural, (space, name))
            if before is None:
                return self.refuse(404, "NotFound", name)
            before["metadata"].setdefault("deletionTimestamp", now())
            kept = before["metadata"].get("finalizers")
            text = store.put(plural, (space, name), before, "MODIFIED" if kept else "DELETED")
        return self.answer(200, text)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    store = Store(sys.argv[1])
    gc.freeze()  # otherwise each full collection visits the recorded objects, and all requests wait for it
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
