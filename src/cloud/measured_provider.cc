// SPDX-License-Identifier: Apache-2.0
#include "cloud/measured_provider.h"

#include <type_traits>

#include "runtime/task_name.h"

namespace tenon::cloud {
namespace {

const Error* error_of(const auto& answer) { return answer ? nullptr : &answer.error(); }

// Returns Karpenter's name of the error; empty if Karpenter has none.
const char* error_name(Code code) {
  switch (code) {
    case Code::kNotFound: return "NodeClaimNotFoundError";
    case Code::kInsufficientCapacity: return "InsufficientCapacityError";
    case Code::kConflict: return "NodeClassNotReadyError";
    default: return "";
  }
}

class MeasuredProvider final : public Provider {
 public:
  MeasuredProvider(std::unique_ptr<Provider> inner, std::string name, runtime::Runtime& runtime,
                   metrics::Registry& registry)
      : inner_(std::move(inner)),
        name_(std::move(name)),
        runtime_(runtime),
        duration_(registry.histogram({"karpenter_cloudprovider_duration_seconds",
                                      "Seconds of calls of the cloud provider.",
                                      {"controller", "method", "provider"}})),
        errors_(registry.counter({"karpenter_cloudprovider_errors_total",
                                  "Calls of the cloud provider that failed.",
                                  {"controller", "method", "provider", "error"}})) {}

  bool manages(const model::NodeClassRef& ref) const override { return inner_->manages(ref); }
  Result<Instance> create(const model::NodeClaim& claim, const model::NodeClass& node_class, const InstanceTypes& types,
                          const std::stop_token& stop) override {
    return timed("Create", [&] { return inner_->create(claim, node_class, types, stop); });
  }
  Status remove(const std::string& provider_id, const std::stop_token& stop) override {
    return timed("Delete", [&] { return inner_->remove(provider_id, stop); });
  }
  Result<Instance> get(const std::string& provider_id, const std::stop_token& stop) override {
    return timed("Get", [&] { return inner_->get(provider_id, stop); });
  }
  Result<std::vector<Instance>> list(const std::stop_token& stop) override {
    return timed("List", [&] { return inner_->list(stop); });
  }
  Result<InstanceTypes> instance_types(const model::NodeClass& node_class, const std::stop_token& stop) override {
    return timed("GetInstanceTypes", [&] { return inner_->instance_types(node_class, stop); });
  }
  Result<InstanceTypes> known_types(const model::NodeClass& node_class) override {
    return inner_->known_types(node_class);
  }
  Result<std::string> drifted(const model::NodeClaim& claim, const model::NodeClass& node_class,
                              const std::stop_token& stop) override {
    return timed("IsDrifted", [&] { return inner_->drifted(claim, node_class, stop); });
  }

  BeforeRegistration before_registration(const model::NodeClaim& claim, const model::NodeClass& node_class,
                                         const std::stop_token& stop) override {
    return inner_->before_registration(claim, node_class, stop);
  }
  Result<bool> name_instance(const model::NodeClaim& claim, const std::stop_token& stop) override {
    return inner_->name_instance(claim, stop);
  }
  Result<model::NodeClass> resolve(const model::NodeClass& node_class, const std::vector<model::NodePool>& pools,
                                   const std::stop_token& stop) override {
    return inner_->resolve(node_class, pools, stop);
  }
  Status finalize(const model::NodeClass& node_class, const std::stop_token& stop) override {
    return inner_->finalize(node_class, stop);
  }
  Result<std::vector<std::string>> remove_stray_profiles(const std::set<std::string>& in_use,
                                                         const std::stop_token& stop) override {
    return inner_->remove_stray_profiles(in_use, stop);
  }
  std::string hash(const model::NodeClass& node_class) const override { return inner_->hash(node_class); }
  std::string hash_version() const override { return inner_->hash_version(); }
  void learn(const model::NodeClaim& claim, const model::NodeClass& node_class,
             const model::Resources& capacity) override {
    inner_->learn(claim, node_class, capacity);
  }
  void taken_back(const model::NodeClaim& claim) override { inner_->taken_back(claim); }
  void end_announced(const model::NodeClaim& claim) override { inner_->end_announced(claim); }
  std::vector<std::string> take_lost() override { return inner_->take_lost(); }
  Result<std::vector<SickInstance>> sick_instances(const std::stop_token& stop) override {
    return inner_->sick_instances(stop);
  }
  Result<std::vector<Zone>> shifted_zones(const std::stop_token& stop) override { return inner_->shifted_zones(stop); }
  std::string launch_failure(const Error& error) const override { return inner_->launch_failure(error); }
  Result<model::Price> highest_price(const model::NodeClaim& claim,
                                     const std::vector<model::InstanceType>& types) const override {
    return inner_->highest_price(claim, types);
  }
  std::optional<LaunchWarning> launch_warning(const Error& error) const override {
    return inner_->launch_warning(error);
  }
  std::vector<RepairPolicy> repair_policies() const override { return inner_->repair_policies(); }

 private:
  template <class Call>
  std::invoke_result_t<const Call&> timed(const char* method, const Call& call) {
    const Instant start = runtime_.now();
    auto answer = call();
    metrics::Labels labels{{"controller", std::string(runtime::task_name())}, {"method", method}, {"provider", name_}};
    duration_.observe(labels, std::chrono::duration<double>(runtime_.now() - start).count());
    if (const Error* error = error_of(answer); error != nullptr && error->code != Code::kCancelled) {
      labels["error"] = error_name(error->code);
      errors_.add(labels);
    }
    return answer;
  }

  const std::unique_ptr<Provider> inner_;
  const std::string name_;
  runtime::Runtime& runtime_;
  metrics::Histogram& duration_;
  metrics::Counter& errors_;
};

}  // namespace

std::unique_ptr<Provider> measure(std::unique_ptr<Provider> provider, const std::string& name,
                                  runtime::Runtime& runtime, metrics::Registry& registry) {
  return std::make_unique<MeasuredProvider>(std::move(provider), name, runtime, registry);
}

}  // namespace tenon::cloud
