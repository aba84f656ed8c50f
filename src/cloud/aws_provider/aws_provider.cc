// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/aws_provider.h"

#include <algorithm>

#include "aws/ec2.h"
#include "aws/eks.h"
#include "aws/endpoints.h"
#include "aws/errors.h"
#include "aws/iam.h"
#include "aws/pricing.h"
#include "aws/ssm.h"
#include "base/text.h"
#include "cloud/aws_provider/interruption/lost_instances.h"
#include "cloud/aws_provider/interruption/sick_instances.h"
#include "cloud/aws_provider/interruption/zonal_shifts.h"
#include "cloud/aws_provider/launch/launch_errors.h"
#include "cloud/aws_provider/launch/launch_templates.h"
#include "cloud/aws_provider/launch/launcher.h"
#include "cloud/aws_provider/node_class/drift.h"
#include "cloud/aws_provider/node_class/node_class_hash.h"
#include "cloud/aws_provider/node_class/node_class_status.h"
#include "cloud/aws_provider/resources/amis.h"
#include "cloud/aws_provider/resources/capacity_reservations.h"
#include "cloud/aws_provider/resources/cluster.h"
#include "cloud/aws_provider/resources/instance_profiles.h"
#include "cloud/aws_provider/resources/security_groups.h"
#include "cloud/aws_provider/resources/subnets.h"
#include "cloud/aws_provider/types/instance_types.h"
#include "cloud/aws_provider/types/market_metrics.h"
#include "cloud/aws_provider/types/prices.h"
#include "cloud/aws_provider/util/call_batcher.h"
#include "cloud/aws_provider/util/tags.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

constexpr Duration kInstanceTtl = 5min;  // security groups of a running instance rarely change
constexpr std::string_view kStates = "instance-state-name";

// Terminated instances are excluded: they no longer exist.
const std::vector<std::string>& living_states() {
  static const std::vector<std::string> states = {"pending", "running", "stopping", "stopped", "shutting-down"};
  return states;
}

// Returns the results of `call` by id. EC2 rejects the whole list if one id is unknown. Then each id is requested
// alone, and unknown ids are omitted.
template <class T, class Call>
Result<std::map<std::string, T>> or_one_by_one(const std::vector<std::string>& ids, const Call& call) {
  std::map<std::string, T> answers;
  const auto take = [&](std::vector<T> list) {
    for (T& item : list) answers[item.id] = std::move(item);
  };
  auto together = call(ids);
  if (together) {
    take(std::move(*together));
    return answers;
  }
  if (together.error().code != Code::kNotFound) return fail(std::move(together).error());
  if (ids.size() == 1) return answers;
  for (const std::string& id : ids) {
    auto alone = call({id});
    if (!alone && alone.error().code != Code::kNotFound) return fail(std::move(alone).error());
    if (alone) take(std::move(*alone));
  }
  return answers;
}

constexpr std::string_view kPartitionHook = "placement-group-partition";  // a pending hook of the condition Registered

bool price_list_answers(const std::string& region, const AwsProviderOptions& options) {
  return !options.isolated_vpc && !aws::pricing_region(region).empty();
}

class AwsProvider final : public Provider {
 public:
  AwsProvider(aws::Client& client, AwsProviderOptions options)
      : client_(client),
        options_(std::move(options)),
        ec2_(client),
        ssm_(client),
        iam_(client),
        eks_(client),
        pricing_(client),
        arc_(client),
        cluster_(eks_, client.runtime(),
                 {options_.cluster_name, options_.cluster_endpoint, options_.cluster_ca_base64, options_.cluster_dns_ip,
                  options_.kubernetes_version, options_.log}),
        instance_metrics_(options_.registry),
        shifts_({arc_, cluster_, unavailable_}),
        amis_({ec2_, ssm_, client.runtime()}, options_.ami_refresh),
        subnets_(ec2_, client.runtime(), options_.subnet_refresh),
        groups_(ec2_, client.runtime()),
        profiles_(iam_, client.runtime(), {options_.cluster_name, client.region()}),
        templates_({client, ec2_}, options_.cluster_name),
        prices_({ec2_, pricing_, client.runtime()},
                {client.region(), price_list_answers(client.region(), options_), options_.log}),
        reservations_(ec2_, client.runtime()),
        placement_groups_(ec2_, client.runtime()),
        types_({ec2_, prices_, unavailable_, reservations_, placement_groups_, learned_, running_, client.runtime()},
               {client.region(),
                {options_.vm_memory_overhead_percent, options_.reserved_enis},
                options_.reserved_capacity,
                options_.node_overlays,
                options_.price_file,
                options_.log}),
        launcher_({client, ec2_, subnets_, templates_, unavailable_, cluster_, reservations_, placement_groups_,
                   instance_metrics_},
                  {options_.cluster_name, options_.reserved_capacity, options_.log}),
        market_(options_.registry, options_.log),
        status_({client, ec2_, amis_, subnets_, groups_, profiles_, templates_, cluster_, launcher_, types_,
                 reservations_, placement_groups_, market_},
                {options_.cluster_name, !options_.disable_dry_run, options_.reserved_capacity, options_.log}),
        instances_(client.runtime(), kInstanceTtl),
        describe_(client.runtime(), {.told = instance_metrics_.batches("describe_instances")},
                  [this](const std::vector<std::string>& ids, const std::stop_token& stop) {
                    return or_one_by_one<aws::InstanceInfo>(ids, [&](const std::vector<std::string>& some) {
                      return ec2_.describe_instances(some, {{std::string(kStates), living_states()}}, stop);
                    });
                  }),
        terminate_(client.runtime(), {.told = instance_metrics_.batches("terminate_instances")},
                   [this](const std::vector<std::string>& ids, const std::stop_token& stop) {
                     return or_one_by_one<aws::StateChange>(ids, [&](const std::vector<std::string>& some) {
                       return ec2_.terminate_instances(some, stop);
                     });
                   }) {}

  bool manages(const model::NodeClassRef& ref) const override { return ref.of_aws(); }

  Result<Instance> create(const model::NodeClaim& claim, const model::NodeClass& node_class, const InstanceTypes& types,
                          const std::stop_token& stop) override {
    TRY(check_ready(node_class));
    const InstanceTypes own = types ? nullptr : TRY(list_types(node_class, stop));
    Instance instance = TRY(launcher_.launch(claim, node_class, types ? *types : *own, stop));
    instance.cluster = options_.cluster_name;
    if (const auto id = parse_provider_id(instance.provider_id))
      running_.add(id->instance_id, {instance.instance_type, instance.zone, instance.capacity_type});
    instance.annotations[std::string(model::kAnnotationNodeClassHash)] = hash(node_class);
    instance.annotations[std::string(model::kAnnotationNodeClassHashVersion)] = hash_version();
    instance.annotations[std::string(model::kAnnotationInstanceProfile)] = node_class.resolved_instance_profile;
    return instance;
  }

  // EC2 chooses the partition of a placement group if the launch names none.
  BeforeRegistration before_registration(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                         const std::stop_token& stop) override {
    const model::StringMap& labels = claim.meta.labels;
    const std::string_view id = model::lookup(labels, model::kLabelPlacementGroupId);
    if (id.empty() || !model::lookup(labels, model::kLabelPlacementGroupPartition).empty()) return {};
    const auto group = placement_groups_.resolve(node_class, stop);
    if (!group && group.error().code != Code::kNotFound) return {{}, {std::string(kPartitionHook)}};
    if (!group || !*group || (*group)->id != id || (*group)->partitions == 0) return {};
    const auto info = describe(claim.provider_id, stop);
    if (!info || info->partition == 0) return {{}, {std::string(kPartitionHook)}};
    return {{{std::string(model::kLabelPlacementGroupPartition), std::to_string(info->partition)}}, {}};
  }

  Status remove(const std::string& provider_id, const std::stop_token& stop) override {
    const aws::InstanceInfo info = TRY(describe(provider_id, stop));
    if (info.state == "shutting-down") return ok();
    if (capacity_type_of(info) == model::kCapacityReserved) reservations_.leaving(info.id, info.reservation_id);
    lost_.expect_end_of(info.id, client_.runtime().now());
    const auto change = TRY(end(info, stop));
    running_.remove(info.id);
    if (!change) return fail(Code::kNotFound, "instance " + info.id + " is gone");
    instances_.erase(info.id);
    return ok();
  }

  Result<Instance> get(const std::string& provider_id, const std::stop_token& stop) override {
    return to_instance(TRY(describe(provider_id, stop)));
  }

  Result<std::vector<Instance>> list(const std::stop_token& stop) override {
    const aws::Filters filters = {
        {"tag-key", {std::string(model::kLabelNodePool), std::string(model::kLabelProvisioner)}},
        {"tag-key", {std::string(model::kLabelNodeClass)}},
        {"tag:" + std::string(kTagCluster), {options_.cluster_name}},
        {std::string(kStates), living_states()}};
    const Instant asked = client_.runtime().now();
    std::vector<Instance> instances;
    std::map<std::string, RunningInstancesOfCluster::Entry> running;
    for (const aws::InstanceInfo& info : TRY(ec2_.describe_instances({}, filters, stop))) {
      instances.push_back(to_instance(info));
      instances_.put(info.id, info);
      if (!instances.back().deleting) running[info.id] = {info.type, info.zone, instances.back().capacity_type};
    }
    running_.replace(std::move(running));  // instances that EC2 does not list use no commitment
    instances = shifts_.with_hidden(std::move(instances));
    LostInstances::Pools living;
    for (const Instance& instance : instances) {
      if (!instance.deleting) living[parse_provider_id(instance.provider_id)->instance_id] = instance.pool;
    }
    lost_.listed(std::move(living), asked);
    return instances;
  }

  void end_announced(const model::NodeClaim& claim) override {
    if (const auto id = parse_provider_id(claim.provider_id))
      lost_.expect_end_of(id->instance_id, client_.runtime().now());
  }
  std::vector<std::string> take_lost() override { return lost_.take(); }

  Result<bool> name_instance(const model::NodeClaim& claim, const std::stop_token& stop) override {
    const aws::InstanceInfo info = TRY(describe(claim.provider_id, stop));
    aws::Tags missing = naming_tags(claim, options_.cluster_name);
    std::erase_if(missing, [&](const auto& tag) { return info.tags.contains(tag.first); });
    if (missing.empty()) return false;
    TRY(ec2_.create_tags({info.id}, missing, stop));
    instances_.erase(info.id);  // the cached copy lacks the tags
    return true;
  }

  // The only call that refreshes cached types and prices; the catalog's thread makes it.
  Result<InstanceTypes> instance_types(const model::NodeClass& node_class, const std::stop_token& stop) override {
    TRY(check_ready(node_class));
    TRY(types_.refresh(stop));
    return list_types(node_class, stop);
  }

  Result<InstanceTypes> known_types(const model::NodeClass& node_class) override {
    TRY(check_ready(node_class));
    if (!commitments_known()) {
      return fail(Code::kUnavailable, "what runs, and uses commitments, is not known yet");
    }
    return types_.known(node_class);
  }

  void learn(const model::NodeClaim& claim, const model::NodeClass& node_class,
             const model::Resources& capacity) override {
    const std::string type(model::lookup(claim.meta.labels, model::kLabelInstanceType));
    const auto& amis = node_class.amis;
    const bool current =
        std::any_of(amis.begin(), amis.end(), [&](const auto& ami) { return ami.id == claim.image_id; });
    const int64_t memory = capacity.get(model::kMemory);
    if (current && !type.empty() && memory > 0) learned_.learn(type, amis, memory, client_.runtime().now());
  }

  Result<std::string> drifted(const model::NodeClaim& claim, const model::NodeClass& node_class,
                              const std::stop_token& stop) override {
    std::string reason = static_drift(claim, hash(node_class), hash_version());
    if (!reason.empty() || !node_class.ready()) return reason;
    const auto id = parse_provider_id(claim.provider_id);
    if (!id || shifts_.is_away(id->zone)) return std::string();
    aws::InstanceInfo info;
    // An instance may lose its reservation at any time.
    const bool reserved = model::lookup(claim.meta.labels, model::kLabelCapacityType) == model::kCapacityReserved;
    if (auto known = instances_.find(id->instance_id); known && !reserved) {
      info = std::move(*known);
    } else {
      info = TRY(describe(claim.provider_id, stop));
    }
    const InstanceTypes types = TRY(list_types(node_class, stop));
    const auto type =
        std::lower_bound(types->begin(), types->end(), info.type,
                         [](const model::InstanceType& t, const std::string& name) { return t.name < name; });
    const bool found = type != types->end() && type->name == info.type;
    reason = instance_drift(info, found ? &*type : nullptr, node_class);
    if (reason.empty() && options_.reserved_capacity && reserved) reason = reservation_drift(info, node_class);
    if (reason.empty()) {
      reason = placement_group_drift(claim, TRY(placement_groups_.resolve(node_class, stop)));
    }
    return reason;
  }

  Result<model::NodeClass> resolve(const model::NodeClass& node_class, const std::vector<model::NodePool>& pools,
                                   const std::stop_token& stop) override {
    model::NodeClass resolved = TRY(status_.resolve(node_class, pools, stop));
    if (resolved.ready()) {
      if (const auto types = list_types(resolved, stop)) market_.show(node_class.meta.name, *types);
    }
    market_.show_ages(prices_.ages());
    // Unused templates cost nothing; the resolved status must not be lost because of them.
    const Status swept = templates_.sweep(node_class.meta.name, stop);
    if (!swept && swept.error().code != Code::kCancelled) {
      options_.log.warn("EC2NodeClass " + node_class.meta.name +
                        ": its unused launch templates are not removed: " + swept.error().message);
    }
    return resolved;
  }

  Status finalize(const model::NodeClass& node_class, const std::stop_token& stop) override {
    market_.forget(node_class.meta.name);
    if (!options_.isolated_vpc && !node_class.role.empty()) TRY(profiles_.remove_all(node_class, stop));
    return templates_.remove_all(node_class.meta.name, stop);
  }

  Result<std::vector<std::string>> remove_stray_profiles(const std::set<std::string>& in_use,
                                                         const std::stop_token& stop) override {
    if (options_.isolated_vpc) return std::vector<std::string>();  // IAM cannot be reached
    return profiles_.remove_strays(in_use, stop);
  }

  std::string hash(const model::NodeClass& node_class) const override {
    return node_class_hash(node_class, options_.cluster_ca_base64);
  }
  std::string hash_version() const override { return std::string(kNodeClassHashVersion); }

  void taken_back(const model::NodeClaim& claim) override {
    const std::string_view reservation = model::lookup(claim.meta.labels, model::kLabelReservationId);
    if (!reservation.empty()) return reservations_.exhausted(std::string(reservation));
    const OfferingKey offering{std::string(model::lookup(claim.meta.labels, model::kLabelInstanceType)),
                               std::string(model::lookup(claim.meta.labels, model::kLabelZone)),
                               std::string(model::kCapacitySpot)};
    if (offering.instance_type.empty() || offering.zone.empty()) return;
    unavailable_.mark_interrupted(offering, claim.provider_id, client_.runtime().now());
  }

  Result<std::vector<SickInstance>> sick_instances(const std::stop_token& stop) override {
    return find_sick_instances(ec2_, client_.runtime(), stop);
  }

  Result<std::vector<Zone>> shifted_zones(const std::stop_token& stop) override { return shifts_.refresh(stop); }

  Result<model::Price> highest_price(const model::NodeClaim& claim,
                                     const std::vector<model::InstanceType>& types) const override {
    return highest_price_of(TRY(choose_launch(claim, types)));
  }

  std::string launch_failure(const Error& error) const override {
    return std::string(launch_reason(error.message).reason);
  }

  // The account has no service-linked role for spot. All spot offerings are unavailable for a while, so a pool may cost
  // more without notice. parity: pkg/providers/instance/events.go
  std::optional<LaunchWarning> launch_warning(const Error& error) const override {
    if (!aws::mentions(error, kSpotRoleMissing)) return std::nullopt;
    return LaunchWarning{
        "SpotServiceLinkedRoleCreationFailure",
        "Attempted to launch a spot instance but failed due to \"" + std::string(kSpotRoleMissing) + "\""};
  }

  // parity: karpenter-provider-aws pkg/cloudprovider/cloudprovider.go RepairPolicies
  std::vector<RepairPolicy> repair_policies() const override {
    return {{"Ready", "False", 30min},
            {"Ready", "Unknown", 30min},
            {"AcceleratedHardwareReady", "False", 10min},
            {"StorageReady", "False", 30min},
            {"NetworkingReady", "False", 30min},
            {"KernelReady", "False", 30min},
            {"ContainerRuntimeReady", "False", 30min}};
  }

 private:
  Result<std::optional<aws::StateChange>> end(const aws::InstanceInfo& info, const std::stop_token& stop) {
    auto change = terminate_.ask(info.id, stop);
    if (!change && change.error().code != Code::kCancelled) {
      instance_metrics_.termination_failed({info.zone, shifts_.zone_id(info.zone)});
    }
    return change;
  }

  // Commitments are used by running instances, so these must be listed first.
  bool commitments_known() const { return options_.price_file.commitments.empty() || running_.known(); }

  // For calls that may block: requests what is not cached yet; leaves the refresh of expired data to instance_types().
  Result<InstanceTypes> list_types(const model::NodeClass& node_class, const std::stop_token& stop) {
    shifts_.learn_names(node_class);
    if (!commitments_known()) TRY(list(stop));
    TRY(types_.ensure_known(stop));
    return types_.known(node_class);
  }

  // parity: cloudprovider.go Create
  static Status check_ready(const model::NodeClass& node_class) {
    const std::string what = "NodeClassRef not ready, " + node_class.meta.name;
    if (node_class.meta.deleting()) return fail(Code::kConflict, what + " is being deleted");
    const model::Condition* ready = model::find_condition(node_class.conditions, "Ready");
    if (ready == nullptr || ready->status == "Unknown") {
      return fail(Code::kUnavailable, what + ": its readiness is not known yet");
    }
    if (ready->status != "True") return fail(Code::kConflict, what + ": " + ready->message);
    if (ready->observed_generation != node_class.meta.generation) {
      return fail(Code::kConflict, what + ": nodeclass status has not been reconciled against the latest spec");
    }
    return ok();
  }

  Result<aws::InstanceInfo> describe(const std::string& provider_id, const std::stop_token& stop) {
    const auto id = parse_provider_id(provider_id);
    if (!id) return fail(Code::kInvalid, "provider id '" + provider_id + "' is not aws:///<zone>/<instance>");
    TRY(shifts_.check(id->zone));
    auto found = TRY(describe_.ask(id->instance_id, stop));
    if (!found) {
      instances_.erase(id->instance_id);
      reservations_.gone(id->instance_id);
      return fail(Code::kNotFound, "instance " + id->instance_id + " is gone");
    }
    instances_.put(id->instance_id, *found);
    return std::move(*found);
  }

  static Instance to_instance(const aws::InstanceInfo& info) {
    Instance instance;
    instance.provider_id = format_provider_id(info.zone, info.id);
    instance.instance_type = info.type;
    instance.zone = info.zone;
    instance.capacity_type = capacity_type_of(info);
    instance.image_id = info.image_id;
    const auto tag = [&](std::string_view key) {
      const auto it = info.tags.find(key);
      return it == info.tags.end() ? std::string() : it->second;
    };
    instance.claim_name = tag(kTagNodeClaim);
    instance.launch_batch = cut(tag(kTagLaunchBatch), ':').first;
    instance.pool = model::pool_of(info.tags);
    instance.cluster = tag(kTagCluster);
    instance.labels = {{std::string(model::kLabelInstanceType), info.type},
                       {std::string(model::kLabelZone), info.zone},
                       {std::string(model::kLabelCapacityType), instance.capacity_type}};
    const auto [pool_key, pool_name] = model::pool_label(instance.pool);
    if (!pool_name.empty()) instance.labels[std::string(pool_key)] = pool_name;
    instance.launched_at = info.launched_at;
    instance.deleting = info.state == "shutting-down";
    return instance;
  }

  aws::Client& client_;
  const AwsProviderOptions options_;
  aws::Ec2 ec2_;
  aws::Ssm ssm_;
  aws::Iam iam_;
  aws::Eks eks_;
  aws::Pricing pricing_;
  aws::ZonalShift arc_;
  ClusterInfo cluster_;
  InstanceMetrics instance_metrics_;
  UnavailableOfferings unavailable_;
  ZonalShifts shifts_;
  LearnedMemory learned_;
  RunningInstancesOfCluster running_;
  LostInstances lost_;
  Amis amis_;
  Subnets subnets_;
  SecurityGroups groups_;
  InstanceProfiles profiles_;
  LaunchTemplates templates_;
  Prices prices_;
  CapacityReservations reservations_;
  PlacementGroups placement_groups_;
  InstanceTypeList types_;
  Launcher launcher_;
  MarketMetrics market_;
  NodeClassStatus status_;
  TtlMap<std::string, aws::InstanceInfo> instances_;
  CallBatcher<aws::InstanceInfo> describe_;
  CallBatcher<aws::StateChange> terminate_;
};

}  // namespace

std::unique_ptr<Provider> make_aws_provider(aws::Client& client, AwsProviderOptions options) {
  return std::make_unique<AwsProvider>(client, std::move(options));
}

}  // namespace tenon::cloud
