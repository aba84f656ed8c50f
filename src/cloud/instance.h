// The reports of a cloud provider: instances, zones, instance types, and facts about them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/instant.h"
#include "model/instance_type.h"
#include "model/meta.h"
#include "model/resources.h"

namespace tenon::cloud {

// An instance that exists, as the cloud describes it.
struct Instance {
  std::string provider_id;  // aws:///us-east-1a/i-0123456789abcdef0
  std::string instance_type, zone, zone_id, capacity_type, image_id;
  std::string claim_name, pool, cluster;  // from its tags; empty without the tag
  std::string launch_batch;               // id of the batch that one call launched, from its tag; empty without the tag
  model::StringMap labels;                // that the claim gets: type, zone, capacity type, …
  model::StringMap annotations;           // node class hash and its version, instance profile
  model::Resources capacity, allocatable;
  Instant launched_at{};
  bool deleting = false;  // shutting down
};

struct Zone {
  std::string name, id;  // us-east-1a, use1-az1; the name may be unknown
  friend bool operator==(const Zone&, const Zone&) = default;
};

// A Node whose condition has this status for longer than the toleration is unhealthy beyond recovery.
struct RepairPolicy {
  std::string condition, status;
  Duration toleration;
};

// Facts that a Node needs before it accepts pods. They are determined after it has joined.
struct BeforeRegistration {
  model::StringMap labels;           // that the claim and its Node get
  std::vector<std::string> pending;  // names of facts that could not be determined yet
};

// The reason and the message of an event.
struct LaunchWarning {
  std::string reason, message;
};

using InstanceTypes = std::shared_ptr<const std::vector<model::InstanceType>>;

}  // namespace tenon::cloud
