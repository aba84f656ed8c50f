// The table of `tenon plan`: nodes first, then unschedulable pods with their reasons, then the totals.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "base/text.h"
#include "cli/plan/plan_output.h"
#include "console/reasons.h"
#include "scheduling/input/solution.h"

namespace tenon::cli {
namespace {

using scheduling::PlannedNode;
using scheduling::Snapshot;

// Columns as wide as their widest cell; numbers are aligned right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : right_(head.size(), false) { rows_.push_back(std::move(head)); }
  void align_right(std::initializer_list<size_t> columns) {
    for (const size_t c : columns) right_[c] = true;
  }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == 1; }
  std::string text() const {
    std::vector<size_t> width(right_.size(), 0);
    for (const auto& row : rows_) {
      for (size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (size_t c = 0; c < row.size(); ++c) {
        const std::string pad(width[c] - row[c].size(), ' ');
        line += (c ? "   " : "") + (right_[c] ? pad + row[c] : row[c] + pad);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

// Rounds to a millionth of a dollar; the document has all digits.
std::string usd(model::Price price) {
  constexpr int64_t kMicro = model::kPicoPerUsd / 1'000'000;
  return model::format_usd(model::Price((price.value() + kMicro / 2) / kMicro * kMicro));
}

std::string percent(int64_t part, int64_t whole) {
  if (whole <= 0) return "-";
  return std::to_string(static_cast<int64_t>(static_cast<double>(part) * 100.0 / static_cast<double>(whole) + 0.5)) +
         "%";
}

const model::InstanceType* find_type(const Snapshot& snapshot, const PlannedNode& node) {
  for (const auto& pool : snapshot.pools) {
    if (pool.pool->meta.name != node.pool || !pool.types) continue;
    for (const model::InstanceType& type : *pool.types) {
      if (type.name == node.launch.instance_type) return &type;
    }
  }
  return nullptr;
}

std::vector<std::string> node_row(const Snapshot& snapshot, const PlannedNode& node) {
  const model::InstanceType* type = find_type(snapshot, node);
  const model::Resources room = type ? type->allocatable() : model::Resources();
  return {node.id,
          node.pool,
          node.launch.instance_type,
          node.launch.zone,
          node.launch.capacity_type,
          usd(node.launch.price),
          std::to_string(node.pods.size()),
          percent(node.requests.get(model::kCpu), room.get(model::kCpu)),
          percent(node.requests.get(model::kMemory), room.get(model::kMemory)),
          counted(node.instance_types.size(), "type")};
}

Table node_table() {
  Table table({"NEW NODE", "POOL", "TYPE", "ZONE", "CAPACITY", "USD/H", "PODS", "CPU", "MEMORY", "FITS"});
  table.align_right({5, 6, 7, 8});
  return table;
}

void add_list(std::string& out, const std::string& title, const std::map<std::string, std::string>& entries) {
  if (entries.empty()) return;
  Table table({title, "WHY"});
  for (const auto& [name, why] : entries) table.add({name, why});
  out += (out.empty() ? "" : "\n") + table.text();
}

std::map<std::string, std::string> words_of(const PlanInput& input) {
  std::map<std::string, std::string> words;
  for (const auto& [name, state] : input.buffers) {
    const std::vector<model::Condition> conditions = state.conditions(input.snapshot.now);
    const model::Condition& told = state.problem.empty() ? conditions.back() : conditions.front();
    words[name] = told.message.empty() ? told.reason : told.message;
  }
  return words;
}

std::string provision_table(const PlanResult& result) {
  const Snapshot& snapshot = result.input.snapshot;
  std::string out;
  size_t on_new = 0, on_existing = 0;
  Table nodes = node_table();
  for (const PlannedNode& node : result.solution.new_nodes) {
    nodes.add(node_row(snapshot, node));
    on_new += node.pods.size();
  }
  if (!nodes.empty()) out += nodes.text();
  Table existing({"EXISTING NODE", "PODS", "NAMES"});
  for (const auto& [name, pods] : result.solution.existing) {
    on_existing += pods.size();
    existing.add(
        {name, std::to_string(pods.size()), pods.empty() ? "" : pods.front() + (pods.size() > 1 ? ", …" : "")});
  }
  if (!existing.empty()) out += (out.empty() ? "" : "\n") + existing.text();
  std::map<std::string, std::string> unschedulable = result.input.unplannable;
  for (const auto& [pod, why] : result.solution.unschedulable) unschedulable[pod] = console::one_line(why);
  add_list(out, "UNSCHEDULABLE POD", unschedulable);
  add_list(out, "IGNORED POD", result.input.ignored);
  add_list(out, "NODEPOOL NOT READY", result.input.pools_not_ready);
  add_list(out, "NODEOVERLAY NOT READY", result.input.overlays_refused);
  add_list(out, "CAPACITY BUFFER", words_of(result.input));
  const int64_t sum = result.solution.price.value();
  const int64_t bound = result.lower_bound.price.value();
  out += (out.empty() ? "" : "\n") + counted(result.solution.new_nodes.size(), "new node") + " for " +
         counted(on_new, "pod") + ", " + counted(on_existing, "pod") + " on existing nodes, " +
         std::to_string(unschedulable.size()) + " unschedulable; " + usd(result.solution.price) + " USD/h";
  if (bound > 0 && sum > 0) {
    const int64_t tenths = (sum - bound) * 1000 / bound;
    if (tenths <= 0) {
      out += ", the lowest possible price";
    } else {
      out += ", at most " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
             "% above the lowest possible price (lower bound: " + usd(result.lower_bound.price) + ")";
    }
  }
  return out + "\n";
}

// Returns the nodes that stay, what they cost per month, and why they stay.
Table kept_table(const PlanResult& result) {
  std::map<std::string, model::Price> prices;
  for (const auto& view : result.input.snapshot.nodes) {
    prices[view.name()] = month_price(disruption::price_of_instance(result.input.snapshot, view));
  }
  Table table({"KEPT NODE", "USD/MONTH", "WHY"});
  table.align_right({1});
  for (const auto& [name, why] : result.pass.kept) {
    table.add({name, usd(prices[name]), why.reason + ": " + why.message});
  }
  return table;
}

std::string disruption_table(const PlanResult& result) {
  std::string out;
  Table moves({"MOVE", "REASON", "REMOVED NODES", "REPLACED BY", "PODS TO EXISTING", "SAVES USD/H"});
  moves.align_right({4, 5});
  Table nodes = node_table();
  model::Price saved{};
  for (const disruption::Move& move : result.pass.moves) {
    std::string gone, replaced;
    for (const std::string& name : move.nodes) gone += (gone.empty() ? "" : ", ") + name;
    for (const PlannedNode& node : move.replacements) {
      replaced += (replaced.empty() ? "" : ", ") + node.id;
      nodes.add(node_row(result.input.snapshot, node));
    }
    size_t to_others = 0;
    for (const auto& [name, pods] : move.pods_to_existing) to_others += pods.size();
    moves.add(
        {move.id, move.reason, gone, replaced.empty() ? "-" : replaced, std::to_string(to_others), usd(move.savings)});
    saved += move.savings;
  }
  if (!moves.empty()) out += moves.text();
  if (!nodes.empty()) out += "\n" + nodes.text();
  if (const Table kept = kept_table(result); !kept.empty()) out += (out.empty() ? "" : "\n") + kept.text();
  add_list(out, "NODEPOOL NOT READY", result.input.pools_not_ready);
  add_list(out, "NODEOVERLAY NOT READY", result.input.overlays_refused);
  out += (out.empty() ? "" : "\n") + counted(result.pass.moves.size(), "move") + "; saves " + usd(saved) + " USD/h\n";
  return out;
}

}  // namespace

std::string render_plan_table(const PlanResult& result) {
  std::string drifted;
  std::map<std::string, std::string> reasons;
  for (const DriftedNode& d : result.drifted) reasons[d.node] = d.reason + (d.field.empty() ? "" : ": " + d.field);
  add_list(drifted, "DRIFTED NODE", reasons);
  return (result.disrupt ? disruption_table(result) : provision_table(result)) + (drifted.empty() ? "" : "\n") +
         drifted;
}

}  // namespace tenon::cli
