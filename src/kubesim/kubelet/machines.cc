// SPDX-License-Identifier: Apache-2.0
#include "kubesim/kubelet/machines.h"

#include <fmt/format.h>

#include "json/json.h"
#include "kubesim/actors/kinds.h"
#include "kubesim/actors/write.h"
#include "kubesim/kubelet/node_object.h"

namespace tenon::kubesim {
namespace {

constexpr std::string_view kKwokAnnotation = "kwok.x-k8s.io/node";
constexpr std::string_view kKwokHostIp = "10.0.0.1";

std::optional<awssim::FakeInstance> find_instance(const awssim::FakeAws& aws, const std::string& id) {
  std::optional<awssim::FakeInstance> found;
  aws.each_instance([&](const awssim::FakeInstance& instance) {
    if (instance.id == id) found = instance;
  });
  return found;
}

}  // namespace

Machines::Machines(runtime::Runtime& runtime, Api& api, awssim::FakeAws* aws, const KubeletOptions& options)
    : runtime_(runtime), api_(api), aws_(aws), options_(options) {
  timers_.add(runtime.now() + options.lease_renewal, {Step::kRenewLeases, {}});
}

bool Machines::alive(const std::string& node) const {
  const auto at = members_.find(node);
  return at != members_.end() && at->second.alive && !(options_.faults && options_.faults->dead(node));
}

bool Machines::ready(const std::string& node) const {
  const auto at = members_.find(node);
  return at != members_.end() && at->second.ready && alive(node);
}

std::string Machines::host_ip(const std::string& node) const {
  const auto at = members_.find(node);
  return at == members_.end() ? std::string() : at->second.host_ip;
}

Instant Machines::next_due() const { return timers_.next(); }

void Machines::tick(Instant now) {
  while (const auto todo = timers_.pop(now)) act(*todo);
}

void Machines::sync() {
  if (aws_ == nullptr) return;
  const uint64_t version = aws_->changed().version() + 1;
  if (version == seen_) return;
  seen_ = version;
  std::set<std::string> listed;
  aws_->each_instance([&](const awssim::FakeInstance& instance) {
    see(instance);
    listed.insert(instance.id);
  });
  // The cloud lists ended instances for a while; unlisted ones need no entry.
  std::erase_if(machines_, [&](const auto& entry) { return !entry.second.running && !listed.contains(entry.first); });
}

void Machines::see(const awssim::FakeInstance& instance) {
  const bool ending = instance.state == "shutting-down" || instance.state == "terminated";
  auto [at, is_new] = machines_.try_emplace(instance.id);
  Machine& machine = at->second;
  if (is_new && !ending) timers_.add(instance.running_at + options_.boot, {Step::kJoin, instance.id});
  if (!ending || !machine.running) return;
  machine.running = false;
  if (const auto member = members_.find(machine.node); member != members_.end()) member->second.alive = false;
  if (!machine.node.empty()) timers_.add(instance.terminated_at + options_.node_removal, {Step::kRemove, instance.id});
}

void Machines::act(const Todo& todo) {
  switch (todo.step) {
    case Step::kJoin: return join(todo.id);
    case Step::kReady: {
      if (options_.faults && !options_.faults->ready) return;
      const auto machine = machines_.find(todo.id);
      if (machine != machines_.end() && machine->second.running) become_ready(machine->second.node, false);
      return;
    }
    case Step::kKwokReady: return become_ready(todo.id, true);
    case Step::kRemove: return remove_node(todo.id);
    case Step::kRenewLeases: return renew_leases();
  }
}

void Machines::record(const json::value& node, std::string_view reason, std::string_view message) {
  api_.record_event(node, "Normal", reason, message, "kubelet");
}

void Machines::join(const std::string& id) {
  const auto at = machines_.find(id);
  if (at == machines_.end() || !at->second.running) return;
  if (options_.faults && !options_.faults->join) return;
  const std::optional<awssim::FakeInstance> instance = find_instance(*aws_, id);
  if (!instance || instance->state != "running") return;
  const BootConfig boot = read_user_data(instance->user_data);
  if (!boot.problem.empty() || boot.cluster != options_.cluster_name) return;  // does not join, like a real kubelet
  auto node = make_node(*instance, boot, options_, runtime_.now());
  if (!node) return;
  const json::value wanted = *node;
  auto stored = api_.create(kNodes, "", std::move(*node));
  if (!stored && stored.error().code == Code::kAlreadyExists) {
    // The Node existed before its kubelet joined: it keeps its taints and labels; the kubelet's labels are added.
    const auto old = api_.get(kNodes, "", instance->private_dns_name);
    if (!old) return;
    stored = write(api_, {kNodes}, *old, [&](json::value& target) {
      for (const auto& [key, value] : labels_of(wanted)) json::ensure(target, {"metadata", "labels", key}) = value;
      json::ensure(target, {"spec", "providerID"}) = json::string_at(wanted, {"spec", "providerID"});
      return true;
    });
  }
  if (!stored) return;
  if (json::object_at(**stored, {"status", "nodeInfo"}).empty())
    stored = write(api_, {kNodes, "status"}, *stored, [&](json::value& target) {
      target.as_object()["status"] = *json::find(wanted, {"status"});
      return true;
    });
  if (!stored) return;
  at->second.node = instance->private_dns_name;
  nodes_[instance->private_dns_name] = *stored;
  members_[instance->private_dns_name] = {id, instance->private_ip, true, false};
  if (api_.create(kLeases, "kube-node-lease", make_lease(**stored, runtime_.now())))
    leases_.insert(instance->private_dns_name);
  record(**stored, "Starting", "Starting kubelet.");
  timers_.add(runtime_.now() + options_.ready, {Step::kReady, id});
}

void Machines::become_ready(const std::string& node, bool kwok) {
  const auto member = members_.find(node);
  const auto object = nodes_.find(node);
  if (member == members_.end() || object == nodes_.end() || !member->second.alive) return;
  const auto written = write(api_, {kNodes, "status"}, object->second, [&](json::value& target) {
    if (kwok) complete_kwok_node(target, member->second.host_ip);
    return set_node_conditions(target, true, runtime_.now());
  });
  if (!written) return;  // the Node is deleted
  if (kwok && api_.create(kLeases, "kube-node-lease", make_lease(**written, runtime_.now()))) leases_.insert(node);
  record(**written, "NodeReady", "Node " + node + " status is now: NodeReady");
}

void Machines::remove_node(const std::string& id) {
  const auto machine = machines_.find(id);
  if (machine == machines_.end()) return;
  const auto node = nodes_.find(machine->second.node);
  if (node == nodes_.end() || is_deleting(*node->second)) return;
  api_.record_event(*node->second, "Normal", "DeletingNode",
                    "Deleting node " + node->first + " because it does not exist in the cloud provider",
                    "cloud-node-lifecycle-controller");
  DeleteOptions options;
  options.uid = uid_of(*node->second);
  (void)api_.remove(kNodes, "", node->first, options);  // without effect if already deleted
}

void Machines::renew_leases() {
  for (const std::string& name : leases_) {
    if (!alive(name)) continue;
    const json::value patch = json::object{{"spec", json::object{{"renewTime", format_rfc3339_micro(runtime_.now())}}}};
    (void)api_.merge_patch(kLeases, "kube-node-lease", name, patch);  // a lease deleted by hand is not recreated
  }
  timers_.add(runtime_.now() + options_.lease_renewal, {Step::kRenewLeases, {}});
}

void Machines::on_node(const WatchEvent& event) {
  const std::string name(name_of(*event.object));
  if (event.type == WatchEvent::Type::kDeleted) {
    nodes_.erase(name);
    members_.erase(name);
    if (leases_.erase(name) > 0) (void)api_.remove(kLeases, "kube-node-lease", name);  // or the garbage collector did
    return;
  }
  nodes_[name] = event.object;
  const auto known = members_.find(name);
  if (known == members_.end() && annotation(*event.object, kKwokAnnotation) == "fake") {
    members_[name] = {"", std::string(kKwokHostIp), true, false};
    timers_.add(runtime_.now() + options_.kwok_ready, {Step::kKwokReady, name});
  }
  if (const auto member = members_.find(name); member != members_.end())
    member->second.ready = condition_is(*event.object, "Ready", "True");
}

}  // namespace tenon::kubesim
