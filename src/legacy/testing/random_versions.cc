// SPDX-License-Identifier: Apache-2.0
#include "legacy/testing/random_versions.h"

#include <string>
#include <utility>

#include "json/json.h"

namespace tenon::legacy::testing {
namespace {

using json::array;
using json::object;
using json::value;

class VersionDraw {
 public:
  VersionDraw(std::string_view version, Prng& prng) : v1_(version == "v1"), prng_(prng) {}

  value one() {
    const uint64_t kind = prng_.below(3);
    object out{
        {"apiVersion", std::string(kind == 2 ? "karpenter.k8s.aws/" : "karpenter.sh/") + (v1_ ? "v1" : "v1beta1")},
        {"kind", kind == 0   ? "NodePool"
                 : kind == 1 ? "NodeClaim"
                             : "EC2NodeClass"},
        {"metadata", metadata()},
        {"spec", kind == 0   ? pool()
                 : kind == 1 ? claim()
                             : node_class()}};
    if (often()) out["status"] = object{{"conditions", array{object{{"type", "Ready"}, {"status", "True"}}}}};
    return out;
  }

 private:
  bool often() { return prng_.chance(1, 2); }
  int64_t number(int64_t from, int64_t to) { return prng_.between(from, to); }
  std::string duration() { return std::to_string(number(1, 900)) + (often() ? "h" : "m"); }
  std::string duration_or_never() { return prng_.chance(1, 4) ? "Never" : duration(); }
  std::string token(const char* prefix) { return prefix + std::to_string(prng_.below(1000)); }

  object metadata() {
    object out{{"name", token("n")}, {"uid", token("u")}, {"resourceVersion", token("")}};
    if (often()) out["annotations"] = object{{token("example.com/a"), token("v")}};
    if (often()) out["labels"] = object{{token("example.com/l"), token("v")}};
    return out;
  }

  value class_ref() {
    const std::string group = often() ? "karpenter.k8s.aws" : "other.example.com";
    if (v1_) return object{{"group", group}, {"kind", token("Kind")}, {"name", token("c")}};
    object out{{"name", token("c")}};
    if (often()) out["kind"] = token("Kind");
    if (often()) out["apiVersion"] = group + (often() ? "/v1beta1" : "/v1");
    return out;
  }

  value kubelet() {
    object out{{"maxPods", number(1, 250)}};
    if (often()) out["systemReserved"] = object{{"cpu", token("") + "m"}};
    if (often()) out["cpuCFSQuota"] = often();
    return out;
  }

  void node_spec(object& spec) {
    spec["nodeClassRef"] = class_ref();
    object requirement{{"key", token("example.com/k")}, {"operator", "In"}, {"values", array{token("v")}}};
    if (often()) requirement["minValues"] = 1;
    spec["requirements"] = array{std::move(requirement)};
    if (often()) spec["taints"] = array{object{{"key", token("t")}, {"effect", "NoSchedule"}}};
    if (v1_ && often()) spec["terminationGracePeriod"] = duration();
    if (v1_) spec["expireAfter"] = duration_or_never();  // the CRD's default sets it
    if (!v1_ && often()) spec["kubelet"] = kubelet();
  }

  value pool() {
    object node, disruption, out;
    node_spec(node);
    if (v1_) {
      static constexpr const char* kPolicies[] = {"WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"};
      disruption["consolidationPolicy"] = kPolicies[prng_.below(3)];
      disruption["consolidateAfter"] = duration_or_never();
    } else {
      const bool empty = often();
      disruption["consolidationPolicy"] = empty ? "WhenEmpty" : "WhenUnderutilized";
      if (empty) disruption["consolidateAfter"] = duration_or_never();
      if (!empty && often()) disruption["consolidateAfter"] = "Never";
      disruption["expireAfter"] = duration_or_never();
      if (often()) node["resources"] = object();
    }
    object budget{{"nodes", token("") + "%"}};
    if (v1_ && often()) budget["reasons"] = array{"Empty"};
    disruption["budgets"] = array{std::move(budget), object{{"nodes", "1"}}};
    object made{{"spec", std::move(node)}};
    if (often()) made["metadata"] = object{{"labels", object{{token("l"), token("v")}}}};
    out["template"] = std::move(made);
    out["disruption"] = std::move(disruption);
    if (often()) out["limits"] = object{{"cpu", number(1, 5000)}};
    if (v1_ && prng_.chance(1, 5)) {
      out["replicas"] = number(0, 9);
    } else if (often()) {
      out["weight"] = number(1, 100);
    }
    return out;
  }

  value claim() {
    object out;
    node_spec(out);
    if (often()) out["resources"] = object{{"requests", object{{"cpu", token("") + "m"}}}};
    return out;
  }

  value term() {
    if (often()) return object{{"id", token("ami-")}};
    object out{{"tags", object{{token("k"), "*"}}}};
    if (often()) out["name"] = token("name");
    if (often()) out["owner"] = "self";
    return out;
  }

  value node_class() {
    static constexpr const char* kFamilies[] = {"AL2", "AL2023", "Bottlerocket", "Custom", "Windows2022", "Ubuntu"};
    object out{{"subnetSelectorTerms", array{object{{"id", token("subnet-")}}}},
               {"securityGroupSelectorTerms", array{object{{"tags", object{{"a", token("v")}}}}}}};
    out[often() ? "role" : "instanceProfile"] = token("r");
    const std::string family = kFamilies[prng_.below(v1_ ? 5 : 6)];
    const bool with_terms = family == "Custom" || often();
    if (with_terms || !v1_) out["amiFamily"] = family;
    array terms;
    if (with_terms) {
      for (int64_t i = number(1, 2); i > 0; --i) terms.push_back(term());
      if (v1_ && often()) terms.push_back(object{{"ssmParameter", token("/p/")}});
    } else if (v1_) {
      static constexpr const char* kAliases[] = {"al2", "al2023", "bottlerocket", "windows2025"};
      terms.push_back(object{{"alias", kAliases[prng_.below(4)] + std::string(often() ? "@latest" : "@v20240807")}});
    }
    if (!terms.empty()) out["amiSelectorTerms"] = std::move(terms);
    if (often()) {
      object ebs{{"volumeSize", "100Gi"}};
      if (v1_ && often()) ebs["volumeInitializationRate"] = 100;
      out["blockDeviceMappings"] = array{object{{"deviceName", token("/dev/x")}, {"ebs", std::move(ebs)}}};
    }
    if (often()) out["userData"] = token("data");
    if (often()) out["tags"] = object{{token("k"), token("v")}};
    if (often()) out["metadataOptions"] = object{{"httpPutResponseHopLimit", number(1, 3)}, {"httpTokens", "required"}};
    if (v1_ && often()) out["kubelet"] = kubelet();
    if (v1_ && often()) out["ipPrefixCount"] = number(1, 9);
    if (v1_ && often()) out["cpuOptions"] = object{{"nestedVirtualization", "enabled"}};
    return out;
  }

  const bool v1_;
  Prng& prng_;
};

}  // namespace

value random_object(std::string_view version, Prng& prng) { return VersionDraw(version, prng).one(); }

}  // namespace tenon::legacy::testing
