// Prices: the replacements of a consolidation cost less than the removed nodes did at the decision, by the catalog's
// prices and not by those that the controllers received. Each node costs the node price in addition to its instance.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "cli/options/decisions.h"
#include "json/json.h"
#include "model/labels.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

using kubesim::Object;

// "Underutilized: replace: nodepools=[default]: [a, b] -> [1 replacement] (savings: $0.07)"
struct Decision {
  std::vector<std::string> nodes;
  int replacements = 0;
};

std::optional<Decision> parse(std::string_view line) {
  if (!line.starts_with("Underutilized: ")) return std::nullopt;
  const size_t list = line.find("]: ["), arrow = line.find("] -> [");
  if (list == std::string_view::npos || arrow == std::string_view::npos) return std::nullopt;
  Decision decision;
  for (const std::string_view name : split(line.substr(list + 4, arrow - list - 4), ',')) {
    decision.nodes.emplace_back(name.starts_with(' ') ? name.substr(1) : name);
  }
  decision.replacements = std::atoi(std::string(line.substr(arrow + 6)).c_str());
  return decision;
}

class Prices : public Checker {
 public:
  Prices() : Checker("prices") {}

  void on_decision(const std::string& line, const Truth& truth) override {
    constexpr std::string_view kBought = "nodeclaim/";  // "nodeclaim/general-x: spot m5.large …": for pods
    if (line.starts_with(kBought)) bought_.insert(line.substr(kBought.size(), line.find(':') - kBought.size()));
    const auto decision = parse(line);
    if (!decision) return;
    Move move{.paid = {}, .wanted = decision->replacements, .at = truth.now(), .claims = {}};
    for (const std::string& name : decision->nodes) {
      const Object node = truth.get({"", "nodes"}, "", name);
      if (!node) return;
      move.paid += node_price_ + price_of(label(*node, model::kLabelInstanceType), label(*node, model::kLabelZone),
                                          label(*node, model::kLabelCapacityType));
    }
    moves_.push_back(std::move(move));
  }

  // The replacements are the NodeClaims that appear with the decision and were not launched for pending pods.
  void check(const Truth& truth) override {
    for (const Object& claim : truth.claims()) {
      const Instant born = created_at(*claim);
      for (Move& move : moves_) {
        const bool of_its_second = born <= move.at && move.at < born + 1s;
        if (of_its_second) move.claims[name_of(*claim)] = cost(*claim);
      }
    }
    std::erase_if(moves_, [&](const Move& move) { return truth.now() - move.at > kJudgedAfter && judge(truth, move); });
  }

 private:
  static constexpr Duration kJudgedAfter = 1min;
  struct Move {
    model::Price paid;
    int wanted = 0;
    Instant at{};
    std::map<std::string, std::optional<model::Price>> claims;
  };

  static std::optional<model::Price> cost(const kubesim::Object::element_type& claim) {
    if (json::string_at(claim, {"status", "providerID"}).empty()) return std::nullopt;
    return price_of(label(claim, model::kLabelInstanceType), label(claim, model::kLabelZone),
                    label(claim, model::kLabelCapacityType));
  }

  bool judge(const Truth& truth, const Move& move) {
    int replacements = 0;
    model::Price pays;
    for (const auto& [name, price] : move.claims) {
      if (bought_.contains(name)) continue;
      if (!price) return true;  // never launched
      pays += node_price_ + *price;
      ++replacements;
    }
    if (replacements != move.wanted) return true;  // of several moves, or some no longer exist
    saw();
    if (pays >= move.paid) {
      fail(truth, "a move pays " + model::format_usd(pays) + " in place of " + model::format_usd(move.paid));
    }
    return true;
  }

  const model::Price node_price_ = cli::default_decisions().disruption.solve.node_price;
  std::vector<Move> moves_;
  std::set<std::string, std::less<>> bought_;  // NodeClaims
};

}  // namespace

std::unique_ptr<Checker> make_prices_checker() { return std::make_unique<Prices>(); }

}  // namespace tenon::storm
