"""container_command.py DEPLOYMENT NAMESPACE PROGRAM: prints the environment and the command line of the first container of
a Deployment (JSON) as words of a shell: NAME=VALUE… PROGRAM ARGUMENT…, with what the kubelet resolves resolved.
SPDX-License-Identifier: Apache-2.0
"""
import json
import shlex
import sys

deployment, namespace, program = sys.argv[1:]
with open(deployment, encoding="utf-8") as file:
    container = json.load(file)["spec"]["template"]["spec"]["containers"][0]
if "command" in container:
    sys.exit("the entry point of the image is replaced")
words = []
for item in container["env"]:
    value = item.get("value")
    if value is None:
        if item["valueFrom"].get("fieldRef", {}).get("fieldPath") != "metadata.namespace":
            sys.exit(f"cannot resolve {item}")
        value = namespace
    words.append(f"{item['name']}={value}")
print(shlex.join([*words, program, *container["args"]]))
