// Foreign: NodePools, NodeClaims, Nodes and pods of another provider are never written, and no event names them.
// SPDX-License-Identifier: Apache-2.0
#include "storm/checkers/checker.h"

namespace tenon::storm {
namespace {

class Foreign : public Checker {
 public:
  Foreign() : Checker("foreign") {}

  void on_call(const Call& call, const Truth& truth) override {
    if (call.aws) return;
    const bool about = call.resource() == "events" && call.body.find("\"foreign-") != std::string_view::npos;
    if (call.name().starts_with(kForeign) || about)
      fail(truth, std::string(call.method) + " " + std::string(call.path) + " is about what another provider has");
  }

  void check(const Truth& truth) override {
    if (truth.up) saw();
  }

  void at_end(const Truth& truth) override {
    for (const auto& [resource, name] : {std::pair(kubesim::Resource{"karpenter.sh", "nodepools"}, "foreign-pool"),
                                         std::pair(kubesim::Resource{"karpenter.sh", "nodeclaims"}, "foreign-old"),
                                         std::pair(kubesim::Resource{"karpenter.sh", "nodeclaims"}, "foreign-young"),
                                         std::pair(kubesim::Resource{"", "nodes"}, "foreign-node")}) {
      if (!truth.get(resource, "", name)) fail(truth, std::string(name) + " has gone");
    }
  }
};

}  // namespace

std::unique_ptr<Checker> make_foreign_checker() { return std::make_unique<Foreign>(); }

}  // namespace tenon::storm
