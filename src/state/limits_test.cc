// SPDX-License-Identifier: Apache-2.0
#include "state/limits.h"

#include <gtest/gtest.h>

#include "model/labels.h"

namespace tenon::state {
namespace {

const Instant kThen(1'000'000s);

struct Row {
  const char* why;
  const char* name;
  int second;         // of its creation
  const char* types;  // that it lists, one letter each: "s"mall has 2 CPUs, "b"ig has 8
  int64_t cpu = 0;    // of its instance; 0: it has none yet
  bool going = false;
};

model::NodeClaim claim(const Row& row) {
  model::NodeClaim c;
  c.meta.name = row.name;
  c.meta.created_at = kThen + row.second * 1s;
  c.meta.labels[std::string(model::kLabelNodePool)] = "default";
  std::vector<std::string> types;
  for (const char t : std::string_view(row.types)) types.emplace_back(1, t);
  if (!types.empty()) {
    c.requirements.push_back({std::string(model::kLabelInstanceType), model::Operator::kIn, types, std::nullopt});
  }
  if (row.cpu > 0) c.provider_id = "aws:///a/" + c.meta.name;
  if (row.cpu > 0) c.capacity = model::Resources{{"cpu", row.cpu}};
  return c;
}

scheduling::PoolView pool(model::Resources limits) {
  model::NodePool p;
  p.meta.name = "default";
  p.limits = std::move(limits);
  model::InstanceType small, big;
  small.name = "s";
  small.capacity = model::Resources{{"cpu", 2000}};
  big.name = "b";
  big.capacity = model::Resources{{"cpu", 8000}};
  return {std::make_shared<const model::NodePool>(std::move(p)),
          std::make_shared<const std::vector<model::InstanceType>>(std::vector{small, big}), ""};
}

std::string over(const scheduling::PoolView& view, const std::vector<Row>& others, const Row& launched) {
  std::vector<scheduling::NodeView> nodes;
  for (const Row& row : others) {
    scheduling::NodeView node;
    node.claim = std::make_shared<const model::NodeClaim>(claim(row));
    node.marked_for_deletion = row.going;
    nodes.push_back(std::move(node));
  }
  nodes.emplace_back().claim = std::make_shared<const model::NodeClaim>(claim(launched));
  return over_limits(view, pool_use("default", nodes), claim(launched));
}

TEST(Limits, ALaunchIsJudgedByWhatStaysAndByWhatCameBefore) {
  const Row small{"", "x", 5, "s"}, big{"", "x", 5, "b"};
  const auto four = pool(model::Resources{{"cpu", 4000}});
  for (const Row& other : {
           Row{"an instance", "a", 0, "s", 2000},
           Row{"an older claim that waits", "a", 0, "s"},
           Row{"it counts as the smallest type that it lists", "a", 0, "bs"},
           Row{"one of the same second goes by its name", "a", 5, "s"},
           Row{"a younger claim comes later", "a", 6, "b"},
           Row{"a node that is going is none", "a", 0, "s", 4000, true},
       }) {
    EXPECT_EQ(over(four, {other}, small), "") << other.why;
  }
  for (const Row& other : {
           Row{"an instance", "a", 9, "s", 4000},
           Row{"an older claim that waits", "a", 0, "b"},
           Row{"also one of the same second", "a", 5, "b"},
       }) {
    EXPECT_NE(over(four, {other}, small), "") << other.why;
  }
  EXPECT_EQ(over(four, {}, big), "resource usage exceeds limit (limit=4, resource-name=cpu, usage=8)");
  EXPECT_EQ(over(pool(model::Resources{{"nodes", 1}}), {Row{"", "a", 0, "s", 2000}}, {"", "x", 5, ""}),
            "resource usage exceeds limit (limit=1, resource-name=nodes, usage=2)")
      << "claims of static pools list no types";
}

}  // namespace
}  // namespace tenon::state
