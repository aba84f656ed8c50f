// SPDX-License-Identifier: Apache-2.0
#include "console/reasons.h"

#include <algorithm>

#include "base/text.h"
#include "scheduling/input/solution.h"

namespace tenon::console {
namespace {

using scheduling::PlannedNode;
using scheduling::Reason;
using scheduling::RunnerUp;
using scheduling::Unschedulable;

constexpr size_t kMostPoolsInLine = 3;
constexpr size_t kMostTypesInLine = 6;
constexpr size_t kMostExamples = 3;

void draw(const Branch& branch, const std::string& margin, std::string& out) {
  for (size_t i = 0; i < branch.under.size(); ++i) {
    const bool last = i + 1 == branch.under.size();
    out += margin + (last ? "└─ " : "├─ ") + branch.under[i].text + "\n";
    draw(branch.under[i], margin + (last ? "   " : "│  "), out);
  }
}

std::string at_price(model::Price price) { return model::format_usd(price) + " USD/h"; }

using ByPool = std::vector<std::pair<std::string, std::vector<const Reason*>>>;

ByPool by_pool(const Unschedulable& why) {
  ByPool pools;
  for (const Reason& reason : why.reasons) {
    if (pools.empty() || pools.back().first != reason.subject) pools.push_back({reason.subject, {}});
    pools.back().second.push_back(&reason);
  }
  return pools;
}

std::string first_of(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMostTypesInLine; ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > kMostTypesInLine ? text + ", …" : text;
}

// "cpu 1150m, memory 5Gi"
std::string amounts(const model::Resources& resources) {
  std::string text;
  for (const auto& [name, amount] : resources.entries()) {
    if (amount > 0 && name != model::kPods)
      text += (text.empty() ? "" : ", ") + name + " " + model::format_amount(name, amount);
  }
  return text;
}

void add_relaxed(const std::vector<std::string>& relaxed, Branch& to) {
  if (relaxed.empty()) return;
  Branch relaxed_branch{"relaxed preferences:"};
  for (const std::string& preference : relaxed) relaxed_branch.under.push_back({preference});
  to.under.push_back(std::move(relaxed_branch));
}

Branch cheaper_types(const PlannedNode& node) {
  if (node.runners_up.empty()) return {"the catalog has no cheaper type"};
  std::vector<std::pair<std::string, std::vector<const RunnerUp*>>> groups;  // by constraint, in order of appearance
  for (const RunnerUp& other : node.runners_up) {
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == other.constraint; });
    if (at == groups.end()) at = groups.insert(at, {other.constraint, {}});
    at->second.push_back(&other);
  }
  Branch root{counted(node.runners_up.size(), "cheaper type") + " excluded:"};
  for (const auto& [constraint, others] : groups) {
    Branch group{"by " + constraint + ": " + std::to_string(others.size())};
    for (size_t i = 0; i < others.size() && i < kMostExamples; ++i) {
      group.under.push_back(
          {others[i]->instance_type + " at " + at_price(others[i]->price) + ": " + others[i]->detail});
    }
    if (others.size() > kMostExamples) {
      group.under.push_back({"and " + counted(others.size() - kMostExamples, "even cheaper type")});
    }
    root.under.push_back(std::move(group));
  }
  return root;
}

}  // namespace

std::string render_tree(const Branch& root) {
  std::string out = root.text + "\n";
  draw(root, "", out);
  return out;
}

std::string one_line(const Unschedulable& why) {
  const ByPool pools = by_pool(why);
  std::string text;
  for (size_t i = 0; i < pools.size() && i < kMostPoolsInLine; ++i) {
    const auto& [pool, reasons] = pools[i];
    text += (text.empty() ? "" : "; ") + (pool.empty() ? "" : pool + ": ");
    for (size_t r = 0; r < reasons.size(); ++r) text += (r > 0 ? " and " : "") + reasons[r]->detail;
  }
  if (pools.size() > kMostPoolsInLine) text += "; and " + counted(pools.size() - kMostPoolsInLine, "more NodePool");
  return text.empty() ? why.message : text;
}

Branch why_unplaced(const std::string& pod, const Unschedulable& why) {
  Branch root{"pod/" + pod + " is unschedulable"};
  for (const auto& [pool, reasons] : by_pool(why)) {
    if (pool.empty()) {
      for (const Reason* reason : reasons) root.under.push_back({reason->detail});
      continue;
    }
    std::string text = "NodePool " + pool;
    if (reasons.size() > 1) text += ": it fits only without all of these constraints";
    Branch of_pool{std::move(text)};
    for (const Reason* reason : reasons) {
      of_pool.under.push_back({reason->detail});
      if (!reason->field.empty()) of_pool.under.back().under.push_back({reason->field});
    }
    root.under.push_back(std::move(of_pool));
  }
  if (root.under.empty()) root.under.push_back({why.message});
  return root;
}

Branch why_node(const PlannedNode& node) {
  const scheduling::Launch& launch = node.launch;
  Branch root{"node/" + node.id + ": " + launch.instance_type + " in " + launch.zone + " (" + launch.capacity_type +
              ") of NodePool " + node.pool + " at " + at_price(launch.price)};
  root.under.push_back({"holds " + counted(node.pods.size(), "pod") + ", with DaemonSets: " + amounts(node.requests)});
  root.under.push_back({counted(node.instance_types.size(), "instance type") +
                        " in the NodeClaim, lowest price first: " + first_of(node.instance_types)});
  root.under.push_back(cheaper_types(node));
  add_relaxed(*node.relaxed, root);
  if (node.min_values_relaxed) root.under.push_back({"minValues could not be satisfied and were relaxed"});
  return root;
}

Branch why_placed(const std::string& pod, const PlannedNode& node, const std::vector<std::string>& relaxed) {
  Branch root{"pod/" + pod + " is placed on a new node, " + node.id};
  root.under.push_back(why_node(node));
  add_relaxed(relaxed, root);
  return root;
}

Branch why_placed(const std::string& pod, const std::string& existing, const std::vector<std::string>& relaxed) {
  Branch root{"pod/" + pod + " is placed on the existing node " + existing + "; no node is launched for it"};
  add_relaxed(relaxed, root);
  return root;
}

}  // namespace tenon::console
