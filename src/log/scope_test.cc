// SPDX-License-Identifier: Apache-2.0
#include "log/scope.h"

#include <gtest/gtest.h>

#include "log/testing/capture.h"

namespace tenon::log {
namespace {

TEST(Scope, LinesHaveItsFieldsAndOneNumber) {
  const auto capture = std::make_shared<testing::Capture>();
  const Logger log(capture);
  log.info("before");
  {
    const Scope scope(reconciliation_of("nodeclaim.lifecycle", "default-x"));
    log.info("one", {.node = "n1"});
    log.failure("nodeclaim.lifecycle", "default-x", {Code::kTimeout, "no answer", std::nullopt});
    {
      const Scope inner(reconciliation_of("node.termination", "n1"));
      log.info("inner");
    }
    log.info("two");
    log.info("of another", {.controller = "events"});
  }
  log.info("after");
  const auto lines = capture->lines();
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0].reconciliation, 0u);
  EXPECT_EQ(lines[0].fields, Fields{});
  EXPECT_EQ(lines[1].fields, (Fields{.controller = "nodeclaim.lifecycle",
                                     .name = "default-x",
                                     .node_claim = "default-x",
                                     .node = "n1",
                                     .kind = "NodeClaim"}));
  EXPECT_NE(lines[1].reconciliation, 0u);
  EXPECT_EQ(lines[2].reconciliation, lines[1].reconciliation);
  EXPECT_EQ(lines[2].fields.kind, "NodeClaim");
  EXPECT_EQ(lines[3].fields.node, "n1");
  EXPECT_NE(lines[3].reconciliation, lines[1].reconciliation);
  EXPECT_EQ(lines[4].reconciliation, lines[1].reconciliation);
  EXPECT_EQ(lines[5].fields.name, "") << "a line of another controller is not about this object";
  EXPECT_EQ(lines[5].fields.node_claim, "default-x");
  EXPECT_EQ(lines[6].reconciliation, 0u);
}

TEST(Scope, TheControllersNameSaysTheKind) {
  struct Case {
    const char* controller;
    const char* key;
    Fields fields;
  };
  const Case cases[] = {
      {"node.health", "n1", {.controller = "node.health", .name = "n1", .node = "n1", .kind = "Node"}},
      {"nodepool", "p", {.controller = "nodepool", .name = "p", .node_pool = "p", .kind = "NodePool"}},
      {"nodeclass", "c", {.controller = "nodeclass", .name = "c", .kind = "EC2NodeClass"}},
      {"nodepool", "provisioner/p", {.controller = "nodepool", .name = "p", .node_pool = "p", .kind = "Provisioner"}},
      {"nodeclass", "awsnodetemplate/c", {.controller = "nodeclass", .name = "c", .kind = "AWSNodeTemplate"}},
      {"status.events",
       "NodeClaim/x",
       {.controller = "status.events", .name = "x", .node_claim = "x", .kind = "NodeClaim"}},
      {"freeze", "karpenter/tenon-freeze", {.controller = "freeze", .name = "tenon-freeze", .ns = "karpenter"}},
  };
  for (const Case& c : cases) EXPECT_EQ(reconciliation_of(c.controller, c.key), c.fields) << c.controller;
}

}  // namespace
}  // namespace tenon::log
