"""helm_charts.py HELM TENON KUBECTL FOLDER: renders the charts of deploy/helm with helm. FOLDER gets the manifests of
the command lines of published installations (DOCUMENTS), for the tests that apply them.

- helm lint passes.
- For each row of VALUES, `tenon install manifests` prints the objects that helm renders.
- The base of kustomize has the plain manifests; the overlay of examples/ replaces what it names.
- A value that is missing, or that Tenon does not have, is an error that names it.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import socket
import subprocess
import sys

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HELM, TENON, KUBECTL, FOLDER = sys.argv[1:]
CHARTS = os.path.join(ROOT, "deploy", "helm")
ROLE = r"serviceAccount.annotations.eks\.amazonaws\.com/role-arn"
LOCAL = ["image.local=true"]
V027 = ["settings.aws.clusterName=demo", "settings.aws.defaultInstanceProfile=KarpenterNodeInstanceProfile-demo",
        f"{ROLE}=arn:aws:iam::111122223333:role/KarpenterControllerRole-demo", *LOCAL]
V1 = ["settings.clusterName=demo", *LOCAL]

# The command lines of published installations; the reference of the chart and the image are this repository's.
DOCUMENTS = {
    # helm upgrade --install karpenter, v0.27.5.
    "spot-inflate": ("karpenter", "karpenter", [
        *V027, "settings.aws.interruptionQueueName=demo", "controller.resources.requests.cpu=1",
        "controller.resources.requests.memory=1Gi", "controller.resources.limits.cpu=1",
        "controller.resources.limits.memory=1Gi"]),
    # helm template karpenter, v0.27.3; clusterName and clusterEndpoint have no effect there either.
    "node-less": ("karpenter", "karpenter", [
        *V027, "clusterName=demo", "clusterEndpoint=", "controller.resources.requests.cpu=1",
        "controller.resources.requests.memory=1Gi", "controller.resources.limits.cpu=1",
        "controller.resources.limits.memory=1Gi"]),
    # Today's values.
    "consolidate": ("karpenter", "karpenter", [
        *V1, "settings.interruptionQueue=demo", "controller.resources.requests.cpu=1",
        "controller.resources.limits.memory=1Gi"]),
}
# Release, namespace, values.
VALUES = [
    *DOCUMENTS.values(),
    ("tenon", "kube-system", V1),
    ("mine", "a", V1),
    ("a-release-with-a-name-of-fifty-three-characters-012345"[:53], "a", V1),
    ("x", "y", [*V1, "nameOverride=n", "fullnameOverride=" + 62 * "f" + "-ull", "additionalLabels.team=a", "additionalAnnotations.note=b"]),
    ("tenon", "z", [*V1, "nameOverride=yes"]),
    ("tenon", "z", [*V1, "strategy.type=RollingUpdate", "podSecurityContext.runAsGroup=1"]),
    ("tenon", "z", [*V1, "serviceAccount.create=false"]),
    ("tenon", "z", [*V1, "serviceAccount.name=own", "serviceAccount.annotations.a=b", "additionalAnnotations.c=d"]),
    ("tenon", "z", [*V1, "serviceAccount.create=false", "serviceAccount.name=own"]),
    ("tenon", "z", ["settings.clusterName=demo", "image.repository=r.example/tenon"]),
    ("tenon", "z", ["settings.clusterName=demo", "image.repository=r.example/tenon", "image.tag=v9", "image.digest=sha256:00"]),
    ("tenon", "z", ["settings.clusterName=demo", "controller.image.repository=r.example/tenon",
                    "controller.image.tag=v9", "imagePullPolicy=Always"]),
    ("tenon", "z", [*V1, "image.repository=localhost/tenon", "image.tag=dev"]),
    ("tenon", "z", [*V1, "webhook.enabled=true", "webhook.port=9443", "controller.metrics.port=9090",
                    "controller.healthProbe.port=9091"]),
    ("tenon", "z", [*V027, "webhook.enabled=false", "settings.featureGates.driftEnabled=true", "settings.aws.tags.team=a",
                    "settings.aws.isolatedVPC=true", "settings.aws.vmMemoryOverheadPercent=0.05"]),
    ("tenon", "z", [*V027, "settings.featureGates.provisionerAPI=false"]),
    ("tenon", "z", [*V1, "settings.featureGates.nodeRepair=true", "settings.featureGates.reservedCapacity=false",
                    "settings.leaderElectionName=own", "settings.maxNodes=1000000", "settings.nodePrice=0.02",
                    "settings.vmMemoryOverheadPercent=0.1", "settings.isolatedVPC=true", "settings.disableDryRun=false",
                    "settings.reservedENIs=1", "settings.batchIdleDuration=2s", "settings.kubeClientQPS=5",
                    "settings.enableDRA=true", "settings.awsFeatureGates.nodeClassCEL=true"]),
    ("tenon", "z", [*V1, "replicas=1", "revisionHistoryLimit=3", "podLabels.a=b", "podAnnotations.c=d",
                    "podDisruptionBudget.name=own", "podDisruptionBudget.maxUnavailable=50%", "priorityClassName=",
                    "terminationGracePeriodSeconds=60", "hostNetwork=true", "schedulerName=own", "dnsPolicy=Default",
                    "nodeSelector.disk=ssd", "dnsConfig.searches={a,b}", "controller.containerName=own"]),
    ("tenon", "z", [*V027, "podAnnotations.c=d", "logLevel=debug", "logFormat=text"]),
    ("tenon", "z", [*V1, "controller.logLevel=error", "controller.logEncoding=console"]),
    ("tenon", "z", [*V1, "controller.logEncoding=json", "logFormat=text"]),
    ("tenon", "z", [*V1, "service.ipFamilyPolicy=RequireDualStack", "service.ipFamilies={IPv6,IPv4}", "service.annotations.a=b"]),
    ("tenon", "z", [*V1, "settings.observe=true", "webhook.enabled=true"]),
    ("tenon", "z", ["image.local=true", "settings.cloud=kwok", "settings.instanceTypesFilePath=/types/types.json"]),
    ("tenon", "z", [*V1, "settings.cloud=kwok", "settings.observe=true"]),
    ("tenon", "z", [*V027, "settings.observe=true", "settings.leaderElectionName=own"]),
    ("tenon", "z", [*V1, "serviceMonitor.enabled=true", "serviceMonitor.additionalLabels.release=prometheus",
                    "serviceMonitor.sampleLimit=5", "serviceMonitor.endpointConfig.interval=15s"]),
    ("tenon", "z", [*V1, "controller.securityContext.seLinuxOptions.level=s0", "controller.securityContext.runAsUser=1",
                    "controller.securityContext.privileged=true", "podSecurityContext.fsGroup=1000"]),
]
# Values, what the error of helm and that of Tenon say.
ERRORS = [
    (["image.local=true"], "settings.clusterName"),
    (["settings.clusterName=demo"], "there is no public image of Tenon"),
    (["settings.clusterName=demo", "image.repository=public.ecr.aws/karpenter/controller"], "contains Karpenter, not Tenon"),
    ([*V1, "settings.clustername=a"], "settings.clustername"),
]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def sets(values):
    return [word for value in values for word in ("--set", value)]


def helm(chart, release, namespace, values):
    """Without the notices about links to files of deploy/, which a packaged chart contains."""
    result = run(HELM, "template", release, os.path.join(CHARTS, chart), "--namespace", namespace, *sets(values))
    result.stderr = "".join(line for line in result.stderr.splitlines(True) if "found symbolic link" not in line)
    return result


def tenon(release, namespace, values):
    return run(TENON, "install", "manifests", *sets([f"release.name={release}", f"release.namespace={namespace}", *values]))


def free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


def objects(text):
    """Objects by kind and name. Who manages an object is a fact of the tool."""
    found = {}
    for item in yaml.safe_load_all(text):
        if not item:
            continue
        for key in ("helm.sh/chart", "app.kubernetes.io/managed-by"):
            item["metadata"].get("labels", {}).pop(key, None)
        meta = item["metadata"]
        found[f"{item['kind']} {meta.get('namespace', '')}/{meta['name']}"] = item
    return found


def differences(one, other, path=""):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from differences(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, pair in enumerate(zip(one, other)):
            yield from differences(*pair, f"{path}[{i}]")
    elif one != other:
        yield f"{path}: helm {one}, tenon {other}"


def kustomize_problems():
    def built(folder):
        result = run(KUBECTL, "kustomize", os.path.join(ROOT, folder))
        return objects(result.stdout) if result.returncode == 0 else sys.exit(result.stderr)

    base, overlay = built("deploy"), built("examples/kustomize")
    with open(os.path.join(ROOT, "deploy", "manifests", "tenon.yaml"), encoding="utf-8") as file:
        plain = objects(file.read())
    yield from (f"kustomize: {line}" for key in plain for line in differences(plain[key], base.get(key), key))
    container = overlay["Deployment kube-system/tenon"]["spec"]["template"]["spec"]["containers"][0]
    named = [item for item in container["env"] if item["name"] == "CLUSTER_NAME"]
    if named != [{"name": "CLUSTER_NAME", "value": "my-cluster"}]:
        yield f"overlay: {named}"
    if not container["image"].startswith("registry.example.com/tenon:"):
        yield f"overlay: {container['image']}"


def main():
    problems = []
    for chart, values in (("tenon", V1), ("tenon-crd", [])):
        lint = run(HELM, "lint", "--strict", os.path.join(CHARTS, chart), *sets(values))
        if lint.returncode:
            problems.append(f"helm lint {chart}: {lint.stdout}")
    compared = 0
    for release, namespace, values in VALUES:
        by_helm, by_tenon = helm("tenon", release, namespace, values), tenon(release, namespace, values)
        if by_helm.returncode or by_tenon.returncode:
            problems.append(f"{values}: {by_helm.stderr[-300:]} {by_tenon.stderr}")
            continue
        one, other = objects(by_helm.stdout), objects(by_tenon.stdout)
        problems += [f"{release} {values}: {line}" for line in differences(one, other)]
        compared += len(one)
    problems += kustomize_problems()
    for values, wanted in ERRORS:
        for tool, result in (("helm", helm("tenon", "a", "a", values)), ("tenon", tenon("a", "a", values))):
            if result.returncode == 0 or wanted not in result.stderr:
                problems.append(f"{tool} {values}: no error with \"{wanted}\": {result.stderr[-300:]}")
    # Every process of a test has ports of its own.
    for name, (release, namespace, values) in DOCUMENTS.items():
        values = values + [f"{port}={free_port()}" for port in
                           ("controller.metrics.port", "controller.healthProbe.port", "webhook.port")]
        with open(os.path.join(FOLDER, f"{name}.yaml"), "w", encoding="utf-8") as out:
            out.write(helm("tenon", release, namespace, values).stdout)
    for name, values in (("crds", ["provisionerAPI.enabled=true"]), ("crds-v1beta1", ["webhook.enabled=true"])):
        result = helm("tenon-crd", "karpenter", "kube-system", values)
        kinds = re.findall(r"^kind: CustomResourceDefinition$", result.stdout, re.M)
        wanted = 7 if name == "crds" else 5
        if len(kinds) != wanted:
            problems.append(f"tenon-crd {values}: {len(kinds)} definitions, wanted {wanted}: {result.stderr[-300:]}")
        with open(os.path.join(FOLDER, f"{name}.yaml"), "w", encoding="utf-8") as out:
            out.write(result.stdout)
    for problem in problems:
        print("FAIL", problem)
    print(f"{len(VALUES)} sets of values, {compared} objects compared, {len(ERRORS)} errors")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
