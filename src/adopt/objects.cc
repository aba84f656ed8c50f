// NodePools, EC2NodeClasses and NodeClaims: Tenon must accept each one, and must not find drift where there is none.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "adopt/inspect.h"
#include "json/json.h"
#include "kube/codec/codec.h"
#include "model/labels.h"
#include "model/structural_hash.h"

namespace tenon::adopt {
namespace {

using json::value;

std::string annotation(const value& document, std::string_view key) {
  return std::string(json::string_at(document, {"metadata", "annotations", key}));
}

// Adds what the schema and the decoder reject. Returns false if the object cannot be used.
template <class Decoded>
bool is_accepted(const value& document, const Result<Decoded>& decoded, const schema::KnownSchemas& schemas,
                 Report& report) {
  const size_t before = report.findings.size();
  for (const std::string& fault : schemas.faults(document))
    report.findings.push_back({Level::kBlocks, reference(document), fault});
  if (!decoded) report.findings.push_back({Level::kBlocks, reference(document), decoded.error().message});
  return report.findings.size() == before;
}

// A hash of Karpenter with Tenon's version is compared as it is: another value would replace all nodes of the pool.
void inspect_pool(const value& document, const model::NodePool& pool, Report& report) {
  const std::string version = annotation(document, model::kAnnotationNodePoolHashVersion);
  const std::string hash = annotation(document, model::kAnnotationNodePoolHash), own = model::node_pool_hash(pool);
  if (version != model::kNodePoolHashVersion) {
    report.findings.push_back({Level::kChanges, reference(document),
                               "its hash has the version \"" + version +
                                   "\": Tenon stamps the pool and its NodeClaims "
                                   "with version " +
                                   std::string(model::kNodePoolHashVersion) + "; nothing drifts by it"});
  } else if (hash != own) {
    report.findings.push_back({Level::kDrifts, reference(document),
                               "spec.template: Karpenter recorded the hash " + hash + ", Tenon computes " + own +
                                   ": every node of the pool would be replaced"});
  } else {
    report.findings.push_back({Level::kOk, reference(document), "equal hash " + own});
  }
}

void inspect_claim(const value& document, const model::NodeClaim& claim,
                   const std::map<std::string, std::string>& pools, Report& report) {
  const std::string pool(json::string_at(document, {"metadata", "labels", model::kLabelNodePool}));
  const auto found = pools.find(pool);
  if (claim.meta.deleting()) {
    report.findings.push_back({Level::kChanges, reference(document), "is being deleted: Tenon completes the deletion"});
  } else if (!claim.is(model::kLaunched)) {
    report.findings.push_back(
        {Level::kBlocks, reference(document), "is not launched yet: let Karpenter complete or delete it first"});
  } else if (claim.is(model::kDrifted)) {
    report.findings.push_back(
        {Level::kDrifts, reference(document), "Karpenter found drift: its node is to be replaced"});
  } else if (found == pools.end()) {
    report.findings.push_back(
        {Level::kDrifts, reference(document), "its NodePool \"" + pool + "\" does not exist: the node is deleted"});
  } else if (annotation(document, model::kAnnotationNodePoolHashVersion) == model::kNodePoolHashVersion &&
             annotation(document, model::kAnnotationNodePoolHash) != found->second) {
    report.findings.push_back({Level::kDrifts, reference(document),
                               "metadata.annotations[" + std::string(model::kAnnotationNodePoolHash) +
                                   "]: differs from its NodePool's: its node is to be replaced"});
  }
}

}  // namespace

void inspect_objects(const Observed& observed, const schema::KnownSchemas& schemas, Report& report) {
  std::map<std::string, std::string> pools;  // hashes by name
  for (const value& document : observed.pools) {
    const Result<model::NodePool> pool = kube::codec::decode_node_pool(document);
    // Known even if it is invalid: its NodeClaims are not orphans.
    pools[std::string(json::string_at(document, {"metadata", "name"}))] = pool ? model::node_pool_hash(*pool) : "";
    if (is_accepted(document, pool, schemas, report)) inspect_pool(document, *pool, report);
  }
  for (const value& document : observed.classes) {
    if (is_accepted(document, kube::codec::decode_node_class(document), schemas, report))
      report.findings.push_back({Level::kChanges, reference(document),
                                 "Tenon stamps its NodeClaims with a hash of its own version; nothing drifts by it"});
  }
  size_t accepted = 0;
  for (const value& document : observed.claims) {
    const Result<model::NodeClaim> claim = kube::codec::decode_node_claim(document);
    if (!is_accepted(document, claim, schemas, report)) continue;
    ++accepted;
    inspect_claim(document, *claim, pools, report);
  }
  report.findings.push_back(
      {Level::kOk, "NodeClaims",
       std::to_string(accepted) + " of " + std::to_string(observed.claims.size()) + " can be read"});
}

}  // namespace tenon::adopt
