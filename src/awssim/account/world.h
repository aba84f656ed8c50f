// The contents of the simulated AWS account and their rules: life of instances, addresses, prices. The services read
// and change it under its mutex. Nothing here blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "awssim/account/facts.h"
#include "awssim/account/wire.h"
#include "catalog/catalog.h"
#include "model/price.h"
#include "runtime/runtime.h"

namespace tenon::awssim {

inline constexpr std::string_view kAccount = "123456789012";
inline constexpr std::string_view kAmazonAccount = "602401143452";  // owner of the EKS images
inline constexpr std::string_view kVpcId = "vpc-0c1d2e3f4a5b60718";
inline constexpr std::string_view kServiceCidr = "172.20.0.0/16";
inline constexpr Duration kTerminatedListedFor = 1h;
inline constexpr Duration kClientTokenValidFor = 48h;
inline constexpr size_t kMaxUserDataBytes = 16384;
inline constexpr Duration kMessageRetention = 5min;  // as in the queue of Karpenter's stack

struct ZoneInfo {
  std::string name, id;
  int spot_percent = 100;
};

struct Subnet {
  std::string id, zone, zone_id;
  uint32_t network = 0;  // 10.0.32.0 as a number
  int prefix = 19;
  Tags tags;
  uint32_t next = 0;         // the offset to try next; addresses are not reused at once
  std::set<uint32_t> taken;  // offsets

  std::string cidr() const;
  int64_t free_addresses() const;  // AWS reserves five of each subnet
};

struct SecurityGroup {
  std::string id, name, description;
  Tags tags;
};

struct Image {
  std::string id, name, description;
  std::string architecture;  // x86_64, arm64
  std::string platform;      // windows, or empty
  std::string root_device;   // /dev/xvda
  std::string data_device;   // for the storage of pods; usually the root device
  int64_t volume_gib = 20;   // of the data device, unless the launch sets another size
  std::string owner;
  Instant created_at{};
  std::optional<Instant> deprecated_at;
  Tags tags;
};

struct LaunchTemplate {
  std::string id, name;
  Instant created_at{};
  Tags tags;
  Params data;
};

struct Instance : FakeInstance {
  std::string key;  // sorts by launch
  std::string reservation_id, fleet_id, profile_arn, spot_request_id;
  std::string state_reason, root_device;
  std::vector<std::string> security_groups;
  std::string reservation_preference;
  std::string placement_group_id;
  int64_t partition = 0;
  uint32_t address_offset = 0;
  Instant reclaimed_at = kNever;                                      // announced by a notice of EC2
  std::optional<Instant> instance_failed_since, system_failed_since;  // status checks
  std::optional<Instant> retired_at;                                  // a scheduled event
};

// A message of EventBridge that is not in the queue yet.
struct Delivery {
  std::string body;
  Instant at{};
};

struct InstanceProfile {
  std::string name, path, id, arn;
  Instant created_at{};
  Tags tags;
  std::vector<std::string> roles;
};

struct Role {
  std::string name, id;
  Instant created_at{};
  std::string trust_policy =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},)"
      R"("Action":"sts:AssumeRole"}]})";
};

// A shift of the cluster's traffic away from one zone.
struct ZonalShift {
  std::string id, zone_id, comment;
  Instant at{}, expires_at{};
  bool cancelled = false;
};

// The answer to a request with a ClientToken. A repeated request with the same parameters gets the same answer.
struct Remembered {
  std::string fingerprint, answer;
  Instant at{};
};

struct World {
  World(runtime::Runtime& runtime, FakeAwsOptions options);

  runtime::Runtime& runtime;
  const FakeAwsOptions options;
  const std::unique_ptr<runtime::Event> changed;
  const std::unique_ptr<runtime::Event> arrived;  // the content of the queue changes, now or soon
  const std::vector<ZoneInfo> zones;
  const std::vector<const catalog::InstanceFacts*> types;  // by name

  std::mutex mutex;             // guards everything below
  std::vector<Subnet> subnets;  // by zone
  std::vector<SecurityGroup> security_groups;
  std::map<std::string, Image, std::less<>> images;                      // by id
  std::map<std::string, std::string, std::less<>> parameters;            // SSM, by name
  std::map<std::string, LaunchTemplate, std::less<>> launch_templates;   // by id
  std::map<std::string, Instance, std::less<>> instances;                // by key
  std::map<std::string, std::string, std::less<>> instance_keys;         // by id
  std::map<std::string, InstanceProfile, std::less<>> profiles;          // by name
  std::map<std::string, Role, std::less<>> roles;                        // by name
  std::map<std::pair<std::string, std::string>, Remembered> remembered;  // by action and token
  std::map<std::string, double, std::less<>> price_factors;              // by type
  std::deque<Delivery> deliveries;
  std::map<std::string, FakeReservation, std::less<>> reservations;         // by id
  std::map<std::string, FakePlacementGroup, std::less<>> placement_groups;  // by id
  std::map<std::string, ZonalShift, std::less<>> zonal_shifts;              // by id; ended ones stay

  std::string new_id(std::string_view prefix);  // "i-" → "i-0123456789abcdef0"; unique
  std::string new_uuid();
  std::string new_key();  // ascending
  std::string arn(std::string_view service, std::string_view resource) const;

  // Advances every instance to its state at `now`.
  void settle(Instant now);
  // The time of the next state change of an instance; kNever: none.
  Instant next_change() const;
  // Notifies that instances have changed. The caller does not hold the mutex.
  void announce() const {
    changed->notify();
    arrived->notify();
  }
  const catalog::InstanceFacts* type(std::string_view name) const;
  const ZoneInfo* zone(std::string_view name) const;
  std::optional<model::Price> on_demand_price(const catalog::InstanceFacts& facts) const;
  std::optional<model::Price> spot_price(const catalog::InstanceFacts& facts, std::string_view zone) const;

  // Unused places of a reservation; zero if it is not active.
  int64_t free_places(const FakeReservation& reservation, Instant now) const;
  // active, expired, cancelled
  static std::string_view state_of(const FakeReservation& reservation, Instant now);

  Subnet* subnet(std::string_view id);
  const SecurityGroup* security_group(std::string_view id) const;
  Instance* instance(std::string_view id);
  // Starts the termination of an instance. Without effect if it is not pending or running.
  void end(Instance& instance, std::string reason, Instant now);
  // Sends the current state of the instance, or a notice, to EventBridge.
  void publish_state(const Instance& instance, Instant at);
  void publish(const Instance& instance, Notice notice, Instant at);
  // For messages and receipts. A separate counter, so that reads of the queue do not change other ids.
  std::string new_message_id();
  // Finds a template by id, or by name if the id is empty. Errors: InvalidLaunchTemplateName.NotFoundException,
  // InvalidLaunchTemplateId.NotFound.
  Outcome<const LaunchTemplate*> launch_template(std::string_view id, std::string_view name) const;
  // Finds a template by LaunchTemplateSpecification. Also InvalidLaunchTemplateId.VersionNotFound.
  Outcome<const LaunchTemplate*> launch_template(const Params& specification) const;
  // Takes an address of the subnet; std::nullopt if none is free.
  std::optional<uint32_t> take_address(Subnet& subnet);
  std::string address_text(const Subnet& subnet, uint32_t offset) const;
  std::string private_dns_name(const std::string& address) const;

  // The stored answer to an action with this token; std::nullopt if there is none. Error if the parameters differ.
  Outcome<std::optional<std::string>> recall(const std::string& action, const Params& params, Instant now);
  void remember(const std::string& action, const Params& params, std::string answer, Instant now);

 private:
  void empty_blocks(Instant now);
  model::Price scaled(const catalog::InstanceFacts& facts, model::Price price) const;
  uint64_t counter_ = 0, message_counter_ = 0;
};

// images.cc: adds the images and the public parameters that name them.
void add_images(World& world);

}  // namespace tenon::awssim
