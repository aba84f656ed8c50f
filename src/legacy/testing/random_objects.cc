// SPDX-License-Identifier: Apache-2.0
#include "legacy/testing/random_objects.h"

#include <array>
#include <functional>
#include <utility>

#include "json/json.h"

namespace tenon::legacy::testing {
namespace {

using json::array;
using json::object;
using json::value;

class Draw {
 public:
  explicit Draw(Prng& prng) : prng_(prng) {}

  bool often() { return prng_.chance(1, 2); }
  bool seldom() { return prng_.chance(1, 5); }
  std::string token(const char* prefix) { return std::string(prefix) + std::to_string(++last_); }
  int64_t number(int64_t from, int64_t to) {
    return from + static_cast<int64_t>(prng_.below(static_cast<uint64_t>(to - from + 1)));
  }
  template <class T, size_t N>
  T one_of(const std::array<T, N>& list) {
    return list[prng_.below(N)];
  }

  object texts(const char* prefix, int most) {
    object map;
    for (int64_t i = number(1, most); i > 0; --i) map[token(prefix)] = token("v");
    return map;
  }

  object provisioner(const std::string& name, const std::string& template_name) {
    object spec;
    if (often()) spec["labels"] = texts("example.com/l", 3);
    if (often()) spec["annotations"] = texts("example.com/a", 2);
    if (seldom()) spec["annotations"] = object{{"karpenter.sh/do-not-consolidate", "true"}, {token("a"), token("v")}};
    if (often()) spec["taints"] = taints();
    if (seldom()) spec["startupTaints"] = taints();
    if (prng_.chance(4, 5)) spec["requirements"] = requirements();
    if (often()) spec["kubeletConfiguration"] = kubelet();
    if (often()) spec["limits"] = object{{"resources", object{{"cpu", number(1, 5000)}, {"memory", token("") + "Gi"}}}};
    if (often()) spec["weight"] = number(1, 100);
    if (often()) spec["ttlSecondsUntilExpired"] = number(1, 90'000);
    if (seldom()) {
      spec["consolidation"] = object{{"enabled", true}};
    } else if (often()) {
      spec["ttlSecondsAfterEmpty"] = number(0, 9'000);
    } else if (seldom()) {
      spec["consolidation"] = object{{"enabled", false}};
    }
    if (template_name.empty()) {
      spec["provider"] = provider();
    } else {
      spec["providerRef"] = object{{"name", template_name}};
    }
    return object{
        {"apiVersion", "karpenter.sh/v1alpha5"}, {"kind", "Provisioner"}, {"metadata", metadata(name)}, {"spec", spec}};
  }

  object node_template(const std::string& name) {
    return object{{"apiVersion", "karpenter.k8s.aws/v1alpha1"},
                  {"kind", "AWSNodeTemplate"},
                  {"metadata", metadata(name)},
                  {"spec", provider()}};
  }

  object settings() {
    object data{{"aws.clusterName", token("c")}};
    if (often()) data["aws.defaultInstanceProfile"] = token("profile");
    if (often()) data["aws.tags"] = json::to_string(object{{token("t"), token("v")}});
    return object{{"apiVersion", "v1"},
                  {"kind", "ConfigMap"},
                  {"metadata", object{{"name", "karpenter-global-settings"}, {"namespace", "karpenter"}}},
                  {"data", data}};
  }

 private:
  object metadata(const std::string& name) {
    object out{{"name", name}};
    if (seldom()) out["labels"] = texts("m", 2);
    if (seldom()) out["annotations"] = texts("n", 2);
    return out;
  }

  array taints() {
    array list;
    for (int64_t i = number(1, 2); i > 0; --i) {
      object taint{{"key", token("t")}, {"effect", one_of(std::array{"NoSchedule", "PreferNoSchedule", "NoExecute"})}};
      if (often()) taint["value"] = token("v");
      list.push_back(std::move(taint));
    }
    return list;
  }

  array requirements() {
    array list;
    if (often())
      list.push_back(
          {{"key", "karpenter.sh/capacity-type"}, {"operator", "In"}, {"values", array{"spot", "on-demand"}}});
    if (seldom()) list.push_back({{"key", "kubernetes.io/arch"}, {"operator", "Exists"}});
    if (often())
      list.push_back({{"key", "karpenter.k8s.aws/instance-cpu"}, {"operator", "Gt"}, {"values", array{token("")}}});
    if (often())
      list.push_back({{"key", "node.kubernetes.io/instance-type"},
                      {"operator", "NotIn"},
                      {"values", array{token("m"), token("m")}}});
    if (seldom()) list.push_back({{"key", token("r")}, {"operator", "In"}, {"values", array{token("v")}}});
    return list;
  }

  object kubelet() {
    object out;
    if (often()) out["maxPods"] = number(1, 500);
    if (often()) out["clusterDNS"] = array{"10.0." + std::to_string(number(0, 255)) + ".10"};
    if (seldom()) out["containerRuntime"] = "containerd";
    if (often()) out["systemReserved"] = object{{"cpu", token("") + "m"}};
    if (often()) out["kubeReserved"] = object{{"memory", token("") + "Mi"}};
    if (often()) out["evictionHard"] = object{{"memory.available", "5%"}};
    if (seldom()) {
      out["evictionSoft"] = object{{"nodefs.available", "10%"}};
      out["evictionSoftGracePeriod"] = object{{"nodefs.available", "1m0s"}};
    }
    if (seldom()) {
      out["imageGCHighThresholdPercent"] = number(60, 90);
      out["imageGCLowThresholdPercent"] = number(10, 50);
    }
    if (seldom()) out["cpuCFSQuota"] = often();
    return out;
  }

  object selector(const char* id_prefix) {
    if (seldom()) return object{{"aws-ids", token(id_prefix) + "," + token(id_prefix)}};
    object map{{"karpenter.sh/discovery", token("d")}};
    if (often()) map[token("k")] = token("v") + "," + token("v");
    if (seldom()) map[token("k")] = "*";
    return map;
  }

  object provider() {
    object spec{{"subnetSelector", selector("subnet-")}, {"securityGroupSelector", selector("sg-")}};
    const bool selects = often();
    if (selects) {
      spec["amiSelector"] =
          seldom()
              ? object{{"aws::ids", token("ami-") + "," + token("ami-")}}
              : object{{"aws::name", token("n") + "," + token("n")}, {"aws::owners", "self"}, {token("k"), token("v")}};
    }
    if (often())
      spec["amiFamily"] = selects ? one_of(std::array{"AL2", "Bottlerocket", "Custom", "Ubuntu"})
                                  : one_of(std::array{"AL2", "Bottlerocket"});
    if (often()) spec["instanceProfile"] = token("profile");
    if (often()) spec["userData"] = token("#!/bin/sh ");
    if (often()) spec["tags"] = texts("tag", 3);
    if (seldom()) spec["context"] = token("context");
    if (seldom()) spec["detailedMonitoring"] = true;
    if (often()) {
      spec["metadataOptions"] =
          object{{"httpEndpoint", "enabled"}, {"httpPutResponseHopLimit", number(1, 64)}, {"httpTokens", "optional"}};
    }
    if (often()) {
      object ebs{{"volumeSize", std::to_string(number(1, 900)) + "Gi"},
                 {"volumeType", one_of(std::array{"gp3", "io2", "gp2"})}};
      if (often()) ebs["encrypted"] = true;
      if (seldom()) ebs["kmsKeyID"] = token("key");
      spec["blockDeviceMappings"] = array{object{{"deviceName", "/dev/xvda"}, {"ebs", ebs}}};
    }
    return spec;
  }

  Prng& prng_;
  int64_t last_ = 100'000;
};

// Returns the spec of the first document of the kind; null if there is none.
value* spec_of(std::vector<value>& documents, std::string_view kind) {
  for (value& document : documents) {
    if (json::string_at(document, {"kind"}) == kind) return &json::ensure(document, {"spec"});
  }
  return nullptr;
}

}  // namespace

std::vector<value> random_objects(Prng& prng) {
  Draw draw(prng);
  std::vector<value> documents;
  const int64_t templates = draw.number(1, 2), provisioners = draw.number(1, 3);
  if (draw.seldom()) documents.emplace_back(draw.settings());
  for (int64_t i = 0; i < provisioners; ++i) {
    const std::string ref = draw.seldom() ? "" : "t" + std::to_string(draw.number(1, templates));
    documents.emplace_back(draw.provisioner("p" + std::to_string(i), ref));
  }
  for (int64_t i = 1; i <= templates; ++i) documents.emplace_back(draw.node_template("t" + std::to_string(i)));
  return documents;
}

std::string spoil(std::vector<value>& documents, Prng& prng) {
  struct Fault {
    const char* kind;
    const char* path;
    std::function<void(value& spec)> make;
  };
  const auto set = [](const char* field, value to) {
    return [field, to](value& spec) { json::ensure(spec, {field}) = to; };
  };
  static const std::vector<Fault> faults = {
      {"Provisioner", "spec.ttlSecondsUntilExpired", set("ttlSecondsUntilExpired", -1)},
      {"Provisioner", "spec.ttlSecondsAfterEmpty", set("ttlSecondsAfterEmpty", -30)},
      {"Provisioner", "spec.ttlSecondsAfterEmpty", set("ttlSecondsAfterEmpty", "30s")},
      {"Provisioner", "spec.weight", set("weight", 101)},
      {"Provisioner", "spec.weight", set("weight", 0)},
      {"Provisioner", "spec.labels", set("labels", object{{"karpenter.sh/provisioner-name", "x"}})},
      {"Provisioner", "spec.labels", set("labels", object{{"mykubernetes.io/x", "y"}})},
      {"Provisioner", "spec.labels", set("labels", object{{"a b", "y"}})},
      {"Provisioner", "spec.labels[a]", set("labels", object{{"a", "b c"}})},
      {"Provisioner", "spec.taints[0]", set("taints", array{object{{"key", "a"}, {"effect", "Never"}}})},
      {"Provisioner", "spec.taints[0]", set("taints", array{object{{"key", ""}, {"effect", "NoSchedule"}}})},
      {"Provisioner", "spec.requirements[0]",
       set("requirements", array{object{{"key", "a"}, {"operator", "Like"}, {"values", array{"b"}}}})},
      {"Provisioner", "spec.requirements[0]", set("requirements", array{object{{"key", "a"}, {"operator", "In"}}})},
      {"Provisioner", "spec.requirements[0]",
       set("requirements", array{object{{"key", "a"}, {"operator", "Gt"}, {"values", array{"-1"}}}})},
      {"Provisioner", "spec.requirements[0]",
       set("requirements", array{object{{"key", "karpenter.sh/provisioner-name"}, {"operator", "Exists"}}})},
      {"Provisioner", "spec.kubeletConfiguration.systemReserved",
       set("kubeletConfiguration", object{{"systemReserved", object{{"gpu", "1"}}}})},
      {"Provisioner", "spec.kubeletConfiguration.evictionSoft",
       set("kubeletConfiguration", object{{"evictionSoft", object{{"memory.available", "5%"}}}})},
      {"Provisioner", "spec.kubeletConfiguration.imageGCHighThresholdPercent",
       set("kubeletConfiguration", object{{"imageGCHighThresholdPercent", 10}, {"imageGCLowThresholdPercent", 20}})},
      {"Provisioner", "spec.colour", set("colour", "red")},
      {"AWSNodeTemplate", "spec.provider.subnetSelector",
       [](value& spec) { spec.get_object().erase("subnetSelector"); }},
      {"AWSNodeTemplate", "spec.provider.subnetSelector", set("subnetSelector", object{{"aws-ids", "vpc-1"}})},
      {"AWSNodeTemplate", "spec.provider.securityGroupSelector", set("securityGroupSelector", object{{"Name", ""}})},
      {"AWSNodeTemplate", "spec.provider.amiFamily", set("amiFamily", "Windows")},
      {"AWSNodeTemplate", "spec.provider.metadataOptions.httpTokens",
       set("metadataOptions", object{{"httpTokens", "never"}})},
      {"AWSNodeTemplate", "spec.provider.metadataOptions.httpPutResponseHopLimit",
       set("metadataOptions", object{{"httpPutResponseHopLimit", 65}})},
      {"AWSNodeTemplate", "spec.provider.blockDeviceMappings[0].deviceName",
       set("blockDeviceMappings", array{object{{"ebs", object{{"volumeSize", "5Gi"}}}}})},
      {"AWSNodeTemplate", "spec.provider.blockDeviceMappings[0].ebs.volumeSize",
       set("blockDeviceMappings", array{object{{"deviceName", "/dev/xvda"}, {"ebs", object{{"volumeSize", "65Ti"}}}}})},
      {"AWSNodeTemplate", "spec.launchTemplate",
       [](value& spec) { spec = object{{"launchTemplate", "mine"}, {"subnetSelector", object{{"a", "b"}}}}; }},
  };
  while (true) {
    const Fault& fault = faults[prng.below(faults.size())];
    value* spec = spec_of(documents, fault.kind);
    if (spec == nullptr) continue;
    fault.make(*spec);
    return fault.path;
  }
}

}  // namespace tenon::legacy::testing
