"""Who wrote what: the audit log of the API server, and moto's record of requests."""
# SPDX-License-Identifier: Apache-2.0
import base64
import json
import re
import urllib.parse

READS = re.compile(r"^(Describe|Get|List)[A-Z]|^GET /")


class Log:
    """The lines that are written to a file of JSON lines from now on."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.begin = len(file.readlines())

    def lines(self):
        with open(self.path, encoding="utf-8") as file:
            return [json.loads(line) for line in file.readlines()[self.begin:]]


def kubernetes_writes(audit, account):
    """Returns verb, resource, namespace and name of each write that this service account has sent, accepted or not."""
    found = set()
    for event in audit.lines():
        if event["user"]["username"] != f"system:serviceaccount:kube-system:{account}":
            continue
        of = event.get("objectRef", {})
        resource = of.get("resource", event["requestURI"]) + ("/" + of["subresource"] if "subresource" in of else "")
        found.add((event["verb"], resource, of.get("namespace", ""), of.get("name", "")))
    return found


def action(entry):
    """Returns the action of a request in the query, JSON and REST protocols of AWS."""
    headers = {name.lower(): value for name, value in entry["headers"].items()}
    if target := headers.get("x-amz-target"):
        return target.rsplit(".", 1)[-1]
    body = base64.b64decode(entry["body"]).decode() if entry["body_encoded"] else entry["body"] or ""
    form = urllib.parse.parse_qs(body)
    return form["Action"][0] if "Action" in form else f"{entry['method']} {urllib.parse.urlparse(entry['url']).path}"


def signed_with(entry, access_key):
    headers = {name.lower(): value for name, value in entry["headers"].items()}
    return f"Credential={access_key}/" in headers.get("authorization", "")


def aws_actions(requests, access_key):
    """Returns the actions of the requests that are signed with the key."""
    return {action(entry) for entry in requests.lines() if signed_with(entry, access_key)}


def aws_writes(requests, access_key):
    return {name for name in aws_actions(requests, access_key) if not READS.match(name)}
