// A wire-level AWS in this process: EC2 (query protocol, XML), SSM, EKS, Pricing, SQS (JSON), IAM, STS (query), behind
// one Handler. It checks the signature of every request against the keys that it was given and knows nothing of Tenon's
// clients. Instances launched here boot after a while; the kubelets of the minicluster watch instances(). What happens
// to instances is told to the queue that is named after the cluster, as EventBridge does.
//
// Thread rule: serve() and the accessors may be called from any thread; time comes from the Runtime. Only polls of the
// queue wait; the first notice of an interruption starts a task that ends the instances whose time has come.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/instant.h"
#include "http/handler.h"
#include "runtime/runtime.h"

namespace tenon::minicluster {

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
  std::string user_data;     // decoded: what cloud-init would read
  std::map<std::string, std::string> tags;
  int64_t root_volume_gib = 20;  // what the launch template's block devices ask for
  Instant launched_at;
  Instant running_at;              // pending until then
  Instant terminated_at = kNever;  // shutting-down until then; kNever while nobody asked for its end
};

inline constexpr Duration kInterruptionNotice = 2min;  // from EC2's warning until it takes the instance

enum class Notice {
  kSpotInterruption,         // the instance ends after kInterruptionNotice
  kReservationInterruption,  // so it does
  kRebalance,
  kScheduledChange,  // from AWS Health; DescribeInstanceStatus lists it as well
};
enum class StatusCheck { kInstance, kSystem };

// Capacity that the account pays for, used or not.
struct FakeReservation {
  std::string id;  // cr-…; given by reserve()
  std::string instance_type, zone;
  int64_t instances = 1;
  bool block = false;          // a capacity block for ML: it has an end
  bool open = false;           // else only launches that name it go into it
  bool interruptible = false;  // lent by another owner
  Instant ends_at = kNever;
  bool cancelled = false;  // instances that run in it stay, on demand
  std::map<std::string, std::string> tags;
};
inline constexpr Duration kBlockReclaimed = 30min;  // before a block's end its instances are ended

struct FakePlacementGroup {
  std::string id, name;
  std::string strategy;         // cluster, spread, partition
  int64_t partition_count = 0;  // of strategy partition
};
inline constexpr int64_t kSpreadLimit = 7;  // instances of a spread placement group in one zone

struct FakeAwsOptions {
  std::string region = "us-east-1";
  std::string cluster_name = "demo";
  std::string cluster_endpoint;  // what EKS DescribeCluster answers
  std::string cluster_ca_pem;
  std::string kubernetes_version = "1.34";
  std::string access_key_id = "AKIDEXAMPLE";
  std::string secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  bool check_signatures = true;             // off behind the loopback transport, which does not sign
  bool zonal_shift = true;                  // the cluster is registered for zonal shifts
  std::vector<std::string> instance_types;  // empty: the demo's catalog
  Duration pending_for = 1s;                // pending → running
  Duration shutting_down_for = 1s;          // shutting-down → terminated
  // Called with the action ("DescribeSubnets") before it is performed; a non-empty answer is the error to return, as
  // "Code" or "Code: message" (fault injection). CreateFleet asks once more for each offering, with
  // "CreateFleet/m5.large/us-east-1a/spot": the code is then the fleet's error for that override, for example
  // InsufficientInstanceCapacity. Of a launch into a placement group the question ends with its name and the partition,
  // if one is asked for: "CreateFleet/m5.large/us-east-1a/spot/racks/2".
  std::function<std::string(const std::string& action)> fault;
};

class FakeAws : public http::Handler {
 public:
  // Terminated ones stay listed for an hour, as in EC2. `visit` must not call this object.
  virtual void each_instance(const std::function<void(const FakeInstance&)>& visit) const = 0;
  std::vector<FakeInstance> instances() const;
  virtual runtime::Event& changed() = 0;                   // notified when an instance is launched or asked to end
  virtual int calls(const std::string& action) const = 0;  // how often an action was asked for; "*": any
  // Test-only: every later price of this type is multiplied by factor (a planted fault).
  virtual void scale_price(const std::string& instance_type, double factor) = 0;
  // EC2 takes an instance back without a word: it is shutting down from now on. False if it had gone.
  virtual bool reclaim(const std::string& instance_id) = 0;
  // EC2 says what it is going to do with an instance, and does it. False if it has gone.
  virtual bool warn(const std::string& instance_id, Notice notice) = 0;
  // From now on the instance fails a status check. False if it has gone.
  virtual bool impair(const std::string& instance_id, StatusCheck check) = 0;
  // These two answer the id.
  virtual std::string reserve(FakeReservation reservation) = 0;
  virtual std::string make_placement_group(FakePlacementGroup group) = 0;
  virtual bool cancel_reservation(const std::string& id) = 0;
};

std::unique_ptr<FakeAws> make_fake_aws(runtime::Runtime& runtime, FakeAwsOptions options);

}  // namespace tenon::minicluster
