// Explains the choice of a node's type: which types of the pool's catalog are cheaper, and which rule excludes each.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <tuple>

#include "model/labels.h"
#include "scheduling/answer/finish.h"
#include "scheduling/compile/rules.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/type_labels.h"

namespace tenon::scheduling {
namespace {

bool before(const model::Offering& a, const model::Offering& b) {
  return std::tie(a.price, a.zone, a.capacity_type, a.reservation_id) <
         std::tie(b.price, b.zone, b.capacity_type, b.reservation_id);
}

class Field {
 public:
  Field(const State& state, const Bin& bin, const PlannedNode& node)
      : state_(state),
        problem_(state.problem()),
        pool_(problem_.pools[static_cast<size_t>(bin.pool)]),
        bin_(bin),
        node_(node) {
    listed_.insert(node.instance_types.begin(), node.instance_types.end());
  }

  // Adds types that the pool may launch and that are cheaper than the launch.
  void add_rows(std::vector<RunnerUp>& out, size_t most);
  // Adds cheaper types that the pool's requirements exclude.
  void add_excluded(std::vector<RunnerUp>& out, size_t most);

 private:
  RunnerUp ruled_out(size_t row) const;
  std::string short_of(const TypeProblem& type) const;
  const model::Requirement* unmet(const model::InstanceType& type, const model::Offering& offering) const;

  const State& state_;
  const Problem& problem_;
  const PoolProblem& pool_;
  const Bin& bin_;
  const PlannedNode& node_;
  std::set<std::string_view> listed_;  // types that need no further entry
};

// Describes each resource of which the type has too little.
std::string Field::short_of(const TypeProblem& type) const {
  std::string text;
  for (size_t i = 0; i < bin_.used.size(); ++i) {
    if (bin_.used[i] <= type.free[i]) continue;
    const std::string& name = problem_.resources[i];
    text += (text.empty() ? "" : ", ") + name + ": " + model::format_amount(name, bin_.used[i]) + " asked, room for " +
            model::format_amount(name, std::max<int64_t>(0, type.free[i]));
  }
  return text;
}

// Returns the requirement that the offering does not meet, or null. The capacity type comes last, because other
// exclusions may imply it.
const model::Requirement* Field::unmet(const model::InstanceType& type, const model::Offering& offering) const {
  const model::Requirement* capacity_type = nullptr;
  for (const auto& [key, r] : node_.requirements.by_key()) {
    if (!pool_.is_type_key(key) || row_allowed(r, type, offering)) continue;
    if (key != model::kLabelCapacityType) return &r;
    capacity_type = &r;
  }
  return capacity_type;
}

RunnerUp Field::ruled_out(size_t index) const {
  const Row& row = pool_.rows[index];
  const TypeProblem& type = pool_.types[row.type];
  RunnerUp out{type.type->name, row.price, "", ""};
  if (std::string room = short_of(type); !room.empty()) {
    out.constraint = "resources";
    out.detail = std::move(room);
    return out;
  }
  const Amounts& left = state_.left(static_cast<size_t>(bin_.pool));
  for (size_t i = 0; i < left.size(); ++i) {
    if (type.charge[i] <= left[i] + bin_.charge[i]) continue;
    out.constraint = "limit";
    out.detail = "the limit of " + pool_.limited[i] + " leaves too little for it";
    return out;
  }
  if (const model::Requirement* r = unmet(*type.type, *row.offering)) {
    out.constraint = "requirement";
    out.detail = "the node must have " + r->to_string();
  } else if (ports_conflict(bin_.held->ports, type.daemon_ports)) {
    out.constraint = "port";
    out.detail = "a DaemonSet takes a host port";
  } else {
    out.constraint = "offering";
    out.detail = row.reservation == kNone ? "it is not open to this node" : "its reservation is used up";
  }
  return out;
}

void Field::add_rows(std::vector<RunnerUp>& out, size_t most) {
  std::vector<size_t> cheaper;  // by type, its cheapest row
  for (size_t r = 0; r < pool_.rows.size() && pool_.rows[r].price < node_.launch.price; ++r) {
    if (listed_.insert(pool_.types[pool_.rows[r].type].type->name).second) cheaper.push_back(r);
  }
  for (size_t i = cheaper.size(); i-- > 0 && out.size() < most;) out.push_back(ruled_out(cheaper[i]));
}

void Field::add_excluded(std::vector<RunnerUp>& out, size_t most) {
  if (out.size() >= most) return;
  const auto& views = problem_.snapshot->pools;
  const auto view = std::find_if(views.begin(), views.end(), [&](const auto& v) { return v.pool.get() == pool_.pool; });
  std::vector<RunnerUp> excluded;
  for (const model::InstanceType& type : *view->types) {
    if (!type.problem.empty() || listed_.contains(type.name)) continue;
    const model::Offering* cheapest = nullptr;
    for (const model::Offering& o : type.offerings) {
      if (o.available && o.price < node_.launch.price && (!cheapest || before(o, *cheapest))) cheapest = &o;
    }
    if (!cheapest) continue;
    RunnerUp up{type.name, cheapest->price, "requirement", "not to be had by this NodePool"};
    for (const auto& [key, r] : pool_.requirements.by_key()) {
      if (!pool_.is_type_key(key) || row_allowed(r, type, *cheapest)) continue;
      up.detail = "the NodePool has " + r.to_string();
      break;
    }
    excluded.push_back(std::move(up));
  }
  std::sort(excluded.begin(), excluded.end(), [](const RunnerUp& a, const RunnerUp& b) {
    return a.price != b.price ? a.price > b.price : a.instance_type < b.instance_type;
  });
  for (size_t i = 0; i < excluded.size() && out.size() < most; ++i) out.push_back(std::move(excluded[i]));
}

}  // namespace

std::vector<RunnerUp> runners_up(const State& state, const Bin& bin, const PlannedNode& node) {
  std::vector<RunnerUp> out;
  const size_t most = state.problem().options.runners_up;
  if (most == 0) return out;
  Field field(state, bin, node);
  field.add_rows(out, most);
  field.add_excluded(out, most);
  return out;
}

}  // namespace tenon::scheduling
