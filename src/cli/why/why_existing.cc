// SPDX-License-Identifier: Apache-2.0
#include "cli/why/why_existing.h"

#include <algorithm>

#include "base/text.h"
#include "json/json.h"

namespace tenon::cli {
namespace {

using console::Branch;
using disruption::Move;

const Move* move_of(const disruption::Pass& pass, const std::string& node) {
  for (const Move& move : pass.moves) {
    if (std::find(move.nodes.begin(), move.nodes.end(), node) != move.nodes.end()) return &move;
  }
  return nullptr;
}

// Adds where the pods will run.
void add_places(const Move& move, Branch& tree) {
  for (const auto& node : move.replacements) {
    const auto& launch = node.launch;
    tree.under.push_back({"replaced by " + launch.instance_type + " in " + launch.zone + ", " + launch.capacity_type +
                          ", " + model::format_usd(launch.price) + " USD per hour, for " + join(node.pods, ", ")});
  }
  for (const auto& [target, pods] : move.pods_to_existing) {
    tree.under.push_back({"to node/" + target + ": " + join(pods, ", ")});
  }
}

Branch gone(const Move& move, const std::string& name) {
  Branch tree{"node/" + name + " is removed: " + move.reason + ", " + move.id};
  if (move.nodes.size() > 1) tree.under.push_back({"together: " + join(move.nodes, ", ")});
  add_places(move, tree);
  tree.under.push_back({"saves " + model::format_usd(move.savings) + " USD per hour"});
  return tree;
}

}  // namespace

NodeAnswer why_existing(const PlanResult& plan, const scheduling::SolveOptions& options,
                        const scheduling::NodeView& node) {
  const std::string& name = node.name();
  const model::Price month = month_price(disruption::price_of_instance(plan.input.snapshot, node));
  NodeAnswer answer;
  answer.document = {{"kind", "Why"}, {"node", name}, {"costPerMonth", price_value(month)}};
  if (const Move* move = move_of(plan.pass, name)) {
    answer.tree = gone(*move, name);
    answer.document["verdict"] = "goes";
    answer.document["move"] = move_document(*move);
  } else if (const auto kept = plan.pass.kept.find(name); kept != plan.pass.kept.end()) {
    answer.tree = {"node/" + name + " is kept: " + kept->second.message};
    answer.tree.under.push_back({"kept by " + kept->second.object + " (" + kept->second.reason + ")"});
    answer.document["verdict"] = "stays";
    answer.document["reason"] = kept->second.reason;
    answer.document["message"] = kept->second.message;
    answer.document["object"] = kept->second.object;
    disruption::Options asked;
    asked.solve = options;
    if (const auto without = disruption::without_node(plan.input.snapshot, asked, node)) {
      Branch places{"its removal would save " + model::format_usd(without->savings) + " USD per hour"};
      add_places(*without, places);
      answer.tree.under.push_back(std::move(places));
      answer.document["without"] = move_document(*without);
    }
  } else {
    answer.tree = {"node/" + name + " is not managed: it has no NodeClaim"};
    answer.document["verdict"] = "not managed";
    return answer;
  }
  const std::string cost =
      month == model::Price() ? "its price is unknown" : "costs " + model::format_usd(month) + " USD per month";
  answer.tree.under.push_back({cost});
  return answer;
}

}  // namespace tenon::cli
