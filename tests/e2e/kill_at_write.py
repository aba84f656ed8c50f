"""kill_at_write.py CONFIG NUMBER before|after COMMAND…: runs the command, and kills it (SIGKILL) at a write of its own.

CONFIG is `kubectl config view --raw -o json`. The command's KUBECONFIG names a proxy in front of that API server. At the
request number NUMBER that is no read, the command is killed: before the API server gets the request, or after it has
answered and before the command gets the answer. Exit code 0: it was killed there.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from rbac_proxy import Upstream


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream = process = None
    at, before, writes = 0, False, 0

    def log_message(self, *_):
        pass

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.close_connection = True

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.command != "GET":
            Handler.writes += 1
        dies = self.command != "GET" and Handler.writes == self.at
        if dies and self.before:
            return self.kill()
        headers = {key: value for key, value in self.headers.items() if key.lower() in ("accept", "content-type")}
        response = self.upstream.send(self.command, self.path, body or None, headers)
        answer = response.read()
        if dies:
            return self.kill()
        self.send_response(response.status)
        self.send_header("Content-Type", response.getheader("Content-Type") or "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        return self.wfile.write(answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one


def main():
    config, number, when, *command = sys.argv[1:]
    with open(config, encoding="utf-8") as file:
        Handler.upstream = Upstream(json.load(file))
    Handler.at, Handler.before = int(number), when == "before"
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server, tempfile.NamedTemporaryFile("w") as kubeconfig:
        server.daemon_threads = True
        json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                   "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
                   "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_address[1]}"}}],
                   "users": [{"name": "c", "user": {}}]}, kubeconfig)
        kubeconfig.flush()
        # The process is known before the first request is read.
        Handler.process = subprocess.Popen(command, env={**os.environ, "KUBECONFIG": kubeconfig.name})
        threading.Thread(target=server.serve_forever, daemon=True).start()
        code = Handler.process.wait()
        server.shutdown()
    if code != -9:
        sys.exit(f"the command ended with {code} after {Handler.writes} writes")


if __name__ == "__main__":
    main()
