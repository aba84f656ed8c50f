// Twins: no NodeClaim has two live instances for longer than two minutes, however often its launch was repeated; and no
// batch of claims has more instances than members.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "base/text.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

constexpr Duration kAtMost = 2min;
constexpr size_t kUidLength = 36;  // the token of a claim's own launch begins with its uid
// "<batch>:<members>", on instances that were launched for several claims.
constexpr const char* kBatchTag = "tenon.dev/launch-batch";

// Adds the members "0-3,7" to `all`.
void add_members(std::string_view members, std::set<int>& all) {
  for (const std::string_view range : split(members, ',')) {
    const auto [first, last] = cut(range, '-');
    const int from = std::stoi(std::string(first)), to = last.empty() ? from : std::stoi(std::string(last));
    for (int member = from; member <= to; ++member) all.insert(member);
  }
}

class Twins : public Checker {
 public:
  Twins() : Checker("twins") {}

  void on_call(const Call& call, const Truth&) override {
    if (call.action != "CreateFleet") return;
    const size_t at = call.body.find("ClientToken=");
    if (at == std::string_view::npos) return;
    const std::string claim(call.body.substr(at + std::string_view("ClientToken=").size(), kUidLength));
    if (++launches_[claim] == 2) saw();
  }

  void check(const Truth& truth) override {
    std::map<std::string, int> live;               // by claim, or batch
    std::map<std::string, std::set<int>> members;  // members for which a batch's calls were made
    for (const auto& instance : truth.live_instances()) {
      const auto batch = instance.tags.find(kBatchTag);
      if (batch == instance.tags.end()) {
        ++live[instance.client_token.substr(0, kUidLength)];
        continue;
      }
      const auto [id, of_the_call] = cut(batch->second, ':');
      ++live[std::string(id)];
      add_members(of_the_call, members[std::string(id)]);
    }
    std::map<std::string, Instant> now;
    for (const auto& [claim, count] : live) {
      const auto batch = members.find(claim);
      if (count <= (batch == members.end() ? 1 : static_cast<int>(batch->second.size()))) continue;
      const auto at = since_.find(claim);
      now[claim] = at == since_.end() ? truth.now() : at->second;
      if (truth.now() - now[claim] > kAtMost && reported_.insert(claim).second) {
        fail(truth, "the NodeClaim or batch " + claim + " has " + std::to_string(count) + " instances");
      }
    }
    since_ = std::move(now);
  }

 private:
  std::map<std::string, int> launches_;
  std::map<std::string, Instant> since_;
  std::set<std::string> reported_;
};

}  // namespace

std::unique_ptr<Checker> make_twins_checker() { return std::make_unique<Twins>(); }

}  // namespace tenon::storm
