// One write of the conversion of a cluster, as data: decide.h returns them, perform.h carries them out, and --dry-run
// prints them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "aws/query_protocol.h"
#include "kube/client.h"

namespace tenon::migrate {

enum class Verb {
  kCreate,
  kPatch,        // a merge patch
  kPatchStatus,  // the same for the subresource
  kRemove,
  kTag,    // of EC2 instances
  kUntag,  // likewise
};

struct Write {
  Verb verb = Verb::kPatch;
  // Of the object; empty for tags.
  kube::ResourceType type = {};
  std::string name = {};
  std::string uid = {};  // the object must have this uid; empty: any
  // The object, or the patch. An owner reference without a uid gets the current uid of its object.
  boost::json::value body = {};
  // Of tags.
  std::vector<std::string> instances = {};  // at most kMaxTaggedTogether
  aws::Tags tags = {};                      // values are empty for kUntag
};

inline constexpr size_t kMaxTaggedTogether = 500;  // instances in one call; EC2 accepts 1000 resources

// "create NodePool default", "patch Node ip-10-0-0-1: metadata.labels[karpenter.sh/nodepool]: default; …": what
// changes, field by field. Whole objects are named only.
std::string describe(const Write& write);

}  // namespace tenon::migrate
