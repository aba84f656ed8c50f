// The options, instances, reservations and placement groups of the embedded AWS. Plain values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/instant.h"

namespace tenon::awssim {

struct FakeInstance {
  std::string id;             // i-0123456789abcdef0
  std::string type;           // m5.large
  std::string arch;           // amd64 or arm64
  std::string zone, zone_id;  // us-east-1a, use1-az1
  std::string subnet_id, image_id, private_ip, private_dns_name;
  std::string capacity_type;            // on-demand or spot
  std::string capacity_reservation_id;  // in which it runs; empty: none
  std::string tenancy = "default";      // or dedicated
  bool enclaves = false;
  std::string state;         // pending, running, shutting-down, terminated
  std::string client_token;  // of the request that launched it
  std::string user_data;     // decoded, as cloud-init reads it
  std::map<std::string, std::string> tags;
  int64_t root_volume_gib = 20;  // from the block devices of the launch template
  Instant launched_at;
  Instant running_at;              // pending until then
  Instant terminated_at = kNever;  // shutting-down until then; kNever before its termination starts
};

inline constexpr Duration kInterruptionNotice = 2min;  // from EC2's warning to the termination

enum class Notice {
  kSpotInterruption,         // the instance ends after kInterruptionNotice
  kReservationInterruption,  // likewise
  kRebalance,
  kScheduledChange,  // from AWS Health; DescribeInstanceStatus lists it as well
};
enum class StatusCheck { kInstance, kSystem };

// Capacity that the account pays for, whether used or not.
struct FakeReservation {
  std::string id;  // cr-…; given by reserve()
  std::string instance_type, zone;
  int64_t instances = 1;
  bool block = false;          // a capacity block for ML; has an end
  bool open = false;           // instanceMatchCriteria; only launches that name the reservation use it in any case
  bool interruptible = false;  // lent by another owner
  Instant ends_at = kNever;
  bool cancelled = false;  // instances that run in it stay, as on-demand instances
  std::map<std::string, std::string> tags;
};
inline constexpr Duration kBlockReclaimed = 30min;  // instances end this long before their block

struct FakePlacementGroup {
  std::string id, name;
  std::string strategy;         // cluster, spread, partition
  int64_t partition_count = 0;  // for strategy partition
};
inline constexpr int64_t kSpreadLimit = 7;  // instances of a spread placement group in one zone

struct FakeAwsOptions {
  std::string region = "us-east-1";
  std::string cluster_name = "demo";
  std::string cluster_endpoint;  // as EKS DescribeCluster returns it
  std::string cluster_ca_pem;
  std::string kubernetes_version = "1.34";
  std::string access_key_id = "AKIDEXAMPLE";
  std::string secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  bool check_signatures = true;             // off behind the loopback transport, which does not sign
  bool zonal_shift = true;                  // the cluster is registered for zonal shifts
  std::vector<std::string> instance_types;  // empty: the demo's catalog
  Duration pending_for = 1s;                // pending → running
  Duration shutting_down_for = 1s;          // shutting-down → terminated
  // Fault injection. Called with the action ("DescribeSubnets") before it is performed; a non-empty answer is the error
  // to return, as "Code" or "Code: message". CreateFleet calls it again for each override, with
  // "CreateFleet/m5.large/us-east-1a/spot": the code is then the fleet's error for that override, for example
  // InsufficientInstanceCapacity. For a placement group, its name and the requested partition, if any, are appended:
  // "CreateFleet/m5.large/us-east-1a/spot/racks/2".
  std::function<std::string(const std::string& action)> fault;
};

}  // namespace tenon::awssim
