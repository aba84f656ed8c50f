"""A proxy between kubectl and an API server that records the requests and answers, reduced to the needs of a replay.

kubectl speaks plain HTTP to the proxy; the proxy adds the token and speaks TLS to the server.
"""
# SPDX-License-Identifier: Apache-2.0
import base64
import http.client
import json
import re
import ssl
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Documents of hundreds of KiB; a replay compares status and content type only.
BULKY = re.compile(r"^/openapi/")
# Fields that no replay compares.
NEVER_COMPARED = {"managedFields", "storageVersionHash"}


def reduced(node):
    """Removes managed fields, and the descriptions of columns."""
    if isinstance(node, list):
        return [reduced(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: reduced(value) for key, value in node.items() if key not in NEVER_COMPARED}
    for column in out.get("columnDefinitions") or []:
        column.pop("description", None)
    return out


class Recording:
    """The lines of one story. Thread rule: any thread."""

    def __init__(self, groups):
        self.lock = threading.Lock()
        self.lines = []
        self.groups = groups  # whose discovery is kept
        self.streaming = threading.Event()  # a watch has begun
        self.event_seen = threading.Condition(self.lock)

    def add(self, line):
        with self.lock:
            self.lines.append(line)
        return line

    def keeps(self, path):
        match = re.match(r"^/apis/([^/]+)(/[^/]+)?$", path)
        return not match or match.group(1) in self.groups

    def of_kept_groups(self, path, answer):
        """Returns discovery lists without the groups that no story uses."""
        if path == "/apis" and isinstance(answer, dict):
            for key, name in (("groups", lambda g: g["name"]), ("items", lambda g: g["metadata"]["name"])):
                if isinstance(answer.get(key), list):
                    answer[key] = [group for group in answer[key] if name(group) in self.groups]
        return answer


def parsed(body):
    """Returns JSON, else text; other bytes as {"base64": …}."""
    try:
        return json.loads(body)
    except ValueError:
        pass
    try:
        text = body.decode("ascii")
        if text.isprintable() or text.strip().isprintable():
            return text
    except UnicodeDecodeError:
        pass
    return {"base64": base64.b64encode(body).decode()}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream = None  # (host, port, ssl context, token)
    recording = None

    def log_message(self, *_):
        pass

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        request = {"method": self.command, "path": path}
        if query:
            request["query"] = query
        if self.headers.get("Accept") not in (None, "application/json", "*/*"):
            request["accept"] = self.headers["Accept"]
        if body:
            request["type"] = self.headers.get("Content-Type", "")
            request["body"] = parsed(body)
        line = {"request": request}
        if self.headers.get("X-Driver"):
            line["driver"] = True
        recording = type(self).recording
        if recording.keeps(path):
            recording.add(line)
        host, port, context, token = type(self).upstream
        server = http.client.HTTPSConnection(host, port, context=context)
        # Without kubectl's conditions: they depend on its own cache, which a replay does not have.
        headers = {key: value for key, value in self.headers.items()
                   if key.lower() not in ("host", "accept-encoding", "connection", "authorization", "x-driver", "content-length",
                                          "if-none-match", "if-modified-since")}
        # Recordings must be readable.
        headers["Accept"] = ",".join(part for part in headers.get("Accept", "*/*").split(",") if "protobuf" not in part
                                     or BULKY.match(path)) or "*/*"
        headers["Authorization"] = "Bearer " + token
        server.request(self.command, self.path, body or None, headers)
        response = server.getresponse()
        line["status"] = response.status
        kind = (response.getheader("Content-Type") or "").partition(";")[0]
        if kind != "application/json":
            line["type"] = kind
        if response.getheader("Warning"):
            line["warning"] = response.getheader("Warning")
        if "watch" in dict(urllib.parse.parse_qsl(query)) and response.status == 200:
            self.stream(response, line, recording)
        else:
            self.answer(response, line, recording, path)
        server.close()

    def send_head(self, response):
        self.send_response(response.status)
        for key, value in response.getheaders():
            if key.lower() not in ("content-length", "transfer-encoding", "connection", "date"):
                self.send_header(key, value)

    def answer(self, response, line, recording, path):
        data = response.read()
        if not BULKY.match(path):
            line["answer"] = recording.of_kept_groups(path, reduced(parsed(data)))
        self.send_head(response)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, response, line, recording):
        line["events"] = []
        self.send_head(response)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        recording.streaming.set()
        try:
            while data := response.readline():
                event = json.loads(data)
                if event["type"] != "BOOKMARK":
                    with recording.event_seen:
                        line["events"].append(reduced(event))
                        recording.event_seen.notify_all()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except OSError:  # kubectl has seen enough
            pass
        self.close_connection = True

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one


class Proxy:
    """Runs on a free loopback port; `recording` may be exchanged between stories."""

    def __init__(self, server_url, ca_file, token):
        url = urllib.parse.urlsplit(server_url)
        context = ssl.create_default_context(cafile=ca_file)
        self.handler = type("Bound", (Handler,), {"upstream": (url.hostname, url.port, context, token)})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        self.server.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def record(self, recording):
        self.handler.recording = recording

    def close(self):
        self.server.shutdown()
