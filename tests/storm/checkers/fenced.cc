// Fenced: with leader election only the replica that holds the lease starts a write, to Kubernetes or to AWS, and only
// while the lease is valid.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "json/json.h"
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

constexpr Duration kLease = 15s;  // kube::LeaderOptions

class Fenced : public Checker {
 public:
  Fenced() : Checker("fenced") {}

  void on_call(const Call& call, const Truth& truth) override {
    if (!truth.elects || call.resource() == "leases" || !writes(call)) return;
    saw();
    const auto lease = truth.get({"coordination.k8s.io", "leases"}, "kube-system", "karpenter-leader-election");
    const std::string holder(lease ? json::string_at(*lease, {"spec", "holderIdentity"}) : "");
    const auto renewed = lease ? parse_rfc3339(json::string_at(*lease, {"spec", "renewTime"})) : std::nullopt;
    const bool holds = !holder.empty() && holder == call.replica && renewed && truth.now() <= *renewed + kLease;
    if (!holds)
      fail(truth, std::string(call.replica) + " starts " + std::string(call.method) + " " + std::string(call.path) +
                      std::string(call.action) + " although " + (holder.empty() ? "nobody" : holder) + " leads");
  }

 private:
  static bool writes(const Call& call) {
    if (!call.aws) return !call.reads();
    constexpr std::array<std::string_view, 4> kReads{"Describe", "Get", "List", "Receive"};
    return !call.action.empty() && std::none_of(kReads.begin(), kReads.end(),
                                                [&](std::string_view read) { return call.action.starts_with(read); });
  }
};

}  // namespace

std::unique_ptr<Checker> make_fenced_checker() { return std::make_unique<Fenced>(); }

}  // namespace tenon::storm
