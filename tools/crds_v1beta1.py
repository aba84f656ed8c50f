#!/usr/bin/env python3
"""Writes deploy/crds/v1beta1: the CRDs of deploy/crds with v1beta1 as a second served version.

The schemas of v1beta1 are those of v1 with the fields that differ (parity: karpenter v1.0 pkg/apis/crds,
provider-aws v1.0 pkg/apis/crds). Run it after a change of deploy/crds; tests/house/compatibility_test.cc
compares the v1 parts.
Needs python3-yaml. SPDX-License-Identifier: Apache-2.0
"""
import copy
import pathlib

import yaml

CRDS = pathlib.Path(__file__).resolve().parent.parent / "deploy" / "crds"
DURATION_OR_NEVER = r"^(([0-9]+(s|m|h))+|Never)$"


class Writer(yaml.SafeDumper):
    def increase_indent(self, flow=False, indentless=False):
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data):
        return True


def properties(schema, *path):
    for key in path:
        schema = schema["properties"][key]
    return schema


def lower_class_ref(ref):
    del ref["properties"]["group"]
    ref["properties"]["apiVersion"] = {"description": "Group and version of the node class.", "type": "string"}
    ref["properties"]["kind"] = {"description": "Kind of the node class.", "type": "string"}
    ref["required"] = ["name"]
    ref.pop("x-kubernetes-validations", None)


def lower_pool(spec, kubelet):
    del spec["properties"]["replicas"]
    del spec["x-kubernetes-validations"]
    disruption = spec["properties"]["disruption"]
    disruption["default"] = {"consolidationPolicy": "WhenUnderutilized", "expireAfter": "720h"}
    del disruption["required"]
    disruption["x-kubernetes-validations"] = [
        {
            "rule": "has(self.consolidateAfter) ? self.consolidationPolicy != 'WhenUnderutilized' || "
            "self.consolidateAfter == 'Never' : true",
            "message": "consolidateAfter cannot be combined with consolidationPolicy=WhenUnderutilized",
        },
        {
            "rule": "self.consolidationPolicy == 'WhenEmpty' ? has(self.consolidateAfter) : true",
            "message": "consolidateAfter must be specified with consolidationPolicy=WhenEmpty",
        },
    ]
    fields = disruption["properties"]
    del fields["budgets"]["items"]["properties"]["reasons"]
    fields["consolidationPolicy"]["enum"] = ["WhenEmpty", "WhenUnderutilized"]
    fields["consolidationPolicy"]["default"] = "WhenUnderutilized"
    node = properties(spec, "template", "spec")
    fields["expireAfter"] = node["properties"].pop("expireAfter")
    del node["properties"]["terminationGracePeriod"]
    lower_class_ref(node["properties"]["nodeClassRef"])
    node["properties"]["kubelet"] = kubelet
    node["properties"]["resources"] = {
        "description": "Not used; it must be empty.",
        "type": "object",
        "maxProperties": 0,
    }


def lower_claim(spec, kubelet):
    del spec["properties"]["expireAfter"]
    del spec["properties"]["terminationGracePeriod"]
    del spec["x-kubernetes-validations"]
    lower_class_ref(spec["properties"]["nodeClassRef"])
    spec["properties"]["kubelet"] = kubelet


def lower_class(spec, _):
    fields = spec["properties"]
    for name in ("kubelet", "capacityReservationSelectorTerms", "placementGroupSelector", "networkInterfaces",
                 "connectionTracking", "cpuOptions", "ipPrefixCount"):
        fields.pop(name)
    spec["required"] = ["amiFamily", "securityGroupSelectorTerms", "subnetSelectorTerms"]
    fields["amiFamily"]["enum"].insert(3, "Ubuntu")
    fields["amiFamily"]["description"] = "Operating system of the image. Without amiSelectorTerms its latest image is used."
    terms = fields["amiSelectorTerms"]
    del terms["minItems"]
    for name in ("alias", "ssmParameter"):
        del terms["items"]["properties"][name]
    terms["x-kubernetes-validations"] = [
        {
            "rule": "self.all(x, has(x.tags) || has(x.id) || has(x.name))",
            "message": "expected at least one, got none, ['tags', 'id', 'name']",
        },
        {
            "rule": "!self.exists(x, has(x.id) && (has(x.tags) || has(x.name) || has(x.owner)))",
            "message": "'id' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms",
        },
    ]
    spec["x-kubernetes-validations"] = [
        {
            "rule": "self.amiFamily == 'Custom' ? has(self.amiSelectorTerms) && self.amiSelectorTerms.size() != 0 : true",
            "message": "amiSelectorTerms is required when amiFamily == 'Custom'",
        },
        spec["x-kubernetes-validations"][0],
        {
            "rule": "(has(oldSelf.role) && has(self.role)) || (has(oldSelf.instanceProfile) && has(self.instanceProfile))",
            "message": "changing from 'instanceProfile' to 'role' is not supported. You must delete and recreate this "
            "node class if you want to change this.",
        },
    ]
    ebs = properties(fields["blockDeviceMappings"]["items"], "ebs")
    del ebs["properties"]["volumeInitializationRate"]
    ebs["x-kubernetes-validations"] = ebs["x-kubernetes-validations"][:1]
    options = fields["metadataOptions"]
    options["properties"]["httpPutResponseHopLimit"]["default"] = 2
    if "httpPutResponseHopLimit" in options.get("default", {}):
        options["default"]["httpPutResponseHopLimit"] = 2


def read(name):
    return yaml.safe_load((CRDS / name).read_text())


def spec_of(version):
    return properties(version["schema"]["openAPIV3Schema"], "spec")


def main():
    kubelet = properties(spec_of(read("karpenter.k8s.aws_ec2nodeclasses.yaml")["spec"]["versions"][0]), "kubelet")
    for name, lower in (("karpenter.sh_nodepools.yaml", lower_pool), ("karpenter.sh_nodeclaims.yaml", lower_claim),
                        ("karpenter.k8s.aws_ec2nodeclasses.yaml", lower_class)):
        crd = read(name)
        earlier = copy.deepcopy(crd["spec"]["versions"][0])
        earlier["name"], earlier["storage"] = "v1beta1", False
        earlier["subresources"].pop("scale", None)
        earlier.pop("selectableFields", None)
        lower(spec_of(earlier), copy.deepcopy(kubelet))
        crd["spec"]["versions"].append(earlier)
        crd["spec"]["conversion"] = {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"service": {"name": "karpenter", "namespace": "kube-system", "port": 8443,
                                             "path": "/conversion"}},
            },
        }
        text = yaml.dump(crd, Dumper=Writer, sort_keys=False, width=10_000, allow_unicode=True)
        note = "# Made by tools/crds_v1beta1.py from deploy/crds.\n"
        (CRDS / "v1beta1").mkdir(exist_ok=True)
        (CRDS / "v1beta1" / name).write_text("# SPDX-License-Identifier: Apache-2.0\n" + note + text)


main()
