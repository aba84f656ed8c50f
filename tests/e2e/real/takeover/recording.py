"""Writes what a controller leaves in the cluster and in the account as one YAML file: a fixture of other tests."""
# SPDX-License-Identifier: Apache-2.0
import json
import os

import yaml
from real_cluster import LOOK

# An owner comes before its dependents: whoever creates the objects again needs the new uid of the owner.
KINDS = ("ec2nodeclasses", "nodepools", "deployments", "replicasets", "nodeclaims", "nodes", "pods")
SERVER_FIELDS = ("managedFields", "resourceVersion", "selfLink")
OF_INSTANCES = ("InstanceId", "InstanceType", "ImageId", "SubnetId")


def scrubbed(thing):
    """Returns the object without what only its API server uses."""
    thing["metadata"] = {key: part for key, part in thing["metadata"].items() if key not in SERVER_FIELDS}
    thing["metadata"].get("annotations", {}).pop("kubectl.kubernetes.io/last-applied-configuration", None)
    thing["metadata"].get("labels", {}).pop(LOOK, None)
    return thing


def instance_document(instance):
    return {"kind": "Instance", **{key: instance[key] for key in OF_INSTANCES},
            "Zone": instance["Placement"]["AvailabilityZone"],
            "Tags": {tag["Key"]: tag["Value"] for tag in instance.get("Tags", [])}}


def record(cluster, account, versions, folder):
    documents = []
    for kind in KINDS:
        listed = json.loads(cluster.k("get", kind, "-o", "json"))["items"]
        documents += [scrubbed(thing) for thing in sorted(listed, key=lambda thing: thing["metadata"]["name"])]
    running = account.instances("pending", "running")
    documents += [instance_document(running[key]) for key in sorted(running)]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "karpenter.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: Apache-2.0\n"
                   "# Objects of a cluster, and the instances of its account, as Karpenter left them.\n"
                   f"# {versions}\n# Made by: ./run test-adopt --record FOLDER\n")
        yaml.safe_dump_all(documents, file, sort_keys=True, width=120)
    print(f"     recorded in {path}", flush=True)
