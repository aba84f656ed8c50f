"""rbac_proxy.py CONFIG NAMESPACE NAME DENIED: an API server that enforces RBAC, in front of one that does not.

CONFIG is `kubectl config view --raw -o json`. Each request is judged by the roles that are bound to the service account at
the start, as kube-apiserver judges it; a request that no rule allows is answered 403 and is a line of the file DENIED. The
proxy speaks plain HTTP and prints its port.
SPDX-License-Identifier: Apache-2.0
"""
import base64
import http.client
import json
import ssl
import sys
import tempfile
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RBAC = "/apis/rbac.authorization.k8s.io/v1"
VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
PIECE = 65536  # bytes that are forwarded at once


class Upstream:
    def __init__(self, config):
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.url = urllib.parse.urlsplit(cluster["server"])
        self.context = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        self.headers = {}
        if "token" in user:
            self.headers["Authorization"] = "Bearer " + user["token"]
        if "client-certificate-data" in user:
            with tempfile.NamedTemporaryFile() as pem:
                pem.write(b"".join(base64.b64decode(user[part]) for part in ("client-certificate-data", "client-key-data")))
                pem.flush()
                self.context.load_cert_chain(pem.name)

    def send(self, method, path, body=None, headers=None):
        server = http.client.HTTPSConnection(self.url.hostname, self.url.port, context=self.context)
        server.request(method, path, body, {**(headers or {}), **self.headers})
        return server.getresponse()

    def get(self, path):
        return json.load(self.send("GET", path))


def rules_of(upstream, namespace, name):
    """Returns (namespace or "" for all, rule) for each rule that is bound to the service account."""
    rules = []
    for kind in ("clusterrolebindings", "rolebindings"):
        for binding in upstream.get(f"{RBAC}/{kind}")["items"]:
            bound = any(s["kind"] == "ServiceAccount" and s["name"] == name and s.get("namespace") == namespace
                        for s in binding.get("subjects") or [])
            if not bound:
                continue
            where, role = binding["metadata"].get("namespace", ""), binding["roleRef"]
            folder = "clusterroles" if role["kind"] == "ClusterRole" else f"namespaces/{where}/roles"
            rules += [(where, rule) for rule in upstream.get(f"{RBAC}/{folder}/{role['name']}").get("rules") or []]
    return rules


def asked(method, target):
    """Returns (verb, group, resource, namespace, name), or None for a path that every user may read."""
    url = urllib.parse.urlsplit(target)
    parts = [urllib.parse.unquote(part) for part in url.path.split("/") if part]
    query = dict(urllib.parse.parse_qsl(url.query))
    if parts[:1] == ["api"] and len(parts) > 2:
        group, parts = "", parts[2:]
    elif parts[:1] == ["apis"] and len(parts) > 3:
        group, parts = parts[1], parts[3:]
    else:
        return None
    namespace = ""
    if parts[0] == "namespaces" and len(parts) > 2:
        namespace, parts = parts[1], parts[2:]
    name = parts[1] if len(parts) > 1 else ""
    resource = "/".join([parts[0], *parts[2:3]])
    verb = VERBS.get(method) or ("watch" if query.get("watch") in ("1", "true") else "get" if name else "list")
    one = query.get("fieldSelector", "")
    if not name and one.startswith("metadata.name=") and "," not in one:
        name = one[len("metadata.name="):]
    return verb, group, resource, namespace, name


def allowed(rules, verb, group, resource, namespace, name):
    return any((not where or where == namespace) and group in rule.get("apiGroups", []) and
               resource in rule.get("resources", []) and verb in rule.get("verbs", []) and
               (not rule.get("resourceNames") or name in rule["resourceNames"]) for where, rule in rules)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream = rules = denied = None

    def log_message(self, *_):
        pass

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        question = asked(self.command, self.path)
        if question and not allowed(self.rules, *question):
            self.denied.write(" ".join(word or "-" for word in question) + "\n")
            self.denied.flush()
            status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403,
                      "message": "forbidden: " + " ".join(question)}
            return self.answer(403, "application/json", json.dumps(status).encode())
        headers = {key: value for key, value in self.headers.items()
                   if key.lower() not in ("host", "connection", "accept-encoding", "content-length")}
        response = self.upstream.send(self.command, self.path, body or None, headers)
        kind = response.getheader("Content-Type") or "application/json"
        if not question or question[0] != "watch" or response.status != 200:
            return self.answer(response.status, kind, response.read())
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            while piece := response.read1(PIECE):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True  # the client or the server is gone

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one


def main():
    config, namespace, name, denied = sys.argv[1:]
    with open(config, encoding="utf-8") as file:
        Handler.upstream = Upstream(json.load(file))
    Handler.rules = rules_of(Handler.upstream, namespace, name)
    with open(denied, "w", encoding="utf-8") as Handler.denied, ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
