// SPDX-License-Identifier: Apache-2.0
#include "controllers/garbage_collection/profiles.h"

#include <gtest/gtest.h>

#include "model/labels.h"

namespace tenon::controllers::garbage_collection {
namespace {

TEST(ProfilesInUse, AreThoseOfClassesAndOfClaims) {
  auto node_class = std::make_shared<model::NodeClass>();
  node_class->resolved_instance_profile = "demo_2";
  auto fresh = std::make_shared<model::NodeClass>();  // not resolved yet
  auto claim = std::make_shared<model::NodeClaim>();
  claim->meta.annotations[std::string(model::kAnnotationInstanceProfile)] = "demo_1";
  auto unlaunched = std::make_shared<model::NodeClaim>();
  EXPECT_EQ(profiles_in_use({node_class, fresh}, {claim, unlaunched}), (std::set<std::string>{"demo_1", "demo_2"}));
}

}  // namespace
}  // namespace tenon::controllers::garbage_collection
