// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/builtin_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver {
namespace {

using ::testing::ElementsAre;

std::string error_of(std::string_view text) {
  const auto read = read_resources({"a.txt", text});
  return read ? "" : read.error().message;
}

TEST(BuiltinResources, AreRead) {
  const auto read = read_resources(builtin_resource_file());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(builtin_resources().size(), read->size());
}

// APIService is the one resource whose fields nothing here reads.
TEST(BuiltinResources, HaveTypes) {
  for (const InfoPtr& info : builtin_resources()) {
    EXPECT_EQ(shape_of(*info) != nullptr, info->kind != "APIService") << info->qualified();
  }
}

TEST(BuiltinResources, HaveEveryAttribute) {
  const auto read = read_resources({"a.txt",
                                    "webs  g.io/v1  Web  Cluster\n"
                                    "  short        w wb\n"
                                    "  categories   all\n"
                                    "  verbs        get list\n"
                                    "  traits       generation createOnUpdate\n"
                                    "  stored       v2\n"
                                    "  subresource  status get,patch\n"
                                    "  subresource  scale update autoscaling/v1 Scale\n"
                                    "  fields       spec.a\n"
                                    "  fields       spec.b spec.c\n"
                                    "pods  v1  Pod  Namespaced\n"});
  ASSERT_TRUE(read) << read.error().message;
  const ResourceInfo& web = (*read)[0];
  EXPECT_EQ(web.qualified() + " " + web.api_version() + " " + web.kind + " " + web.singular,
            "webs.g.io g.io/v1 Web web");
  EXPECT_FALSE(web.namespaced);
  EXPECT_THAT(web.short_names, ElementsAre("w", "wb"));
  EXPECT_THAT(web.categories, ElementsAre("all"));
  EXPECT_EQ(web.verbs, unsigned{Verbs::kReadOnly});
  EXPECT_EQ(web.traits, unsigned{Traits::kGeneration | Traits::kCreateOnUpdate});
  EXPECT_EQ(web.stored_api_version(), "v2");
  ASSERT_EQ(web.subresources.size(), 2u);
  EXPECT_EQ(web.subresources[0].verbs, unsigned{Verbs::kGet | Verbs::kPatch});
  EXPECT_EQ(web.subresources[1].group + web.subresources[1].version + web.subresources[1].kind, "autoscalingv1Scale");
  EXPECT_THAT(web.selectable_fields, ElementsAre("spec.a", "spec.b", "spec.c"));
  const ResourceInfo& pod = (*read)[1];
  EXPECT_TRUE(pod.namespaced && pod.group.empty() && pod.traits == 0);
  EXPECT_EQ(pod.verbs, unsigned{Verbs::kAll});
}

TEST(BuiltinResources, RefuseBrokenResources) {
  EXPECT_EQ(error_of("pods v1 Pod\n"), "a.txt:1: pods: a resource is its name, apiVersion, kind and scope");
  EXPECT_EQ(error_of("pods v1 Pod Global\n"), "a.txt:1: pods: unknown scope 'Global'");
  const std::string twice = "the resource or its kind is listed twice";
  EXPECT_EQ(error_of("pods v1 Pod Cluster\npods v1 Pot Cluster\n"), "a.txt:2: pods: " + twice);
  EXPECT_EQ(error_of("pods v1 Pod Cluster\npots v1 Pod Cluster\n"), "a.txt:2: pots: " + twice);
  EXPECT_EQ(error_of("pods v1 Pod Cluster\npods v2 Pod Cluster\n"), "");
}

TEST(BuiltinResources, RefuseBrokenAttributes) {
  const struct {
    std::string_view attributes, fault;
  } kRows[] = {
      {"  shorts  po\n", "a.txt:2: pods: shorts: unknown attribute"},
      {"  short\n", "a.txt:2: pods: short: an attribute without a value"},
      {"  verbs  read\n", "a.txt:2: pods: verbs: unknown word 'read'"},
      {"  verbs  get get\n", "a.txt:2: pods: verbs: 'get' is listed twice"},
      {"  verbs  get\n  verbs  list\n", "a.txt:3: pods: verbs: is listed twice"},
      {"  traits  Status\n", "a.txt:2: pods: traits: unknown word 'Status'"},
      {"  stored  v1 v2\n", "a.txt:2: pods: stored: more than one apiVersion"},
      {"  subresource  log\n",
       "a.txt:2: pods: subresource: a subresource is its name and verbs, and optionally the apiVersion and kind of its "
       "objects"},
      {"  subresource  log get,read\n", "a.txt:2: pods: subresource: unknown word 'read'"},
      {"  subresource  log get\n  subresource  log get\n", "a.txt:3: pods: subresource: 'log' is listed twice"},
  };
  for (const auto& row : kRows) EXPECT_EQ(error_of("pods v1 Pod Cluster\n" + std::string(row.attributes)), row.fault);
}

}  // namespace
}  // namespace tenon::kubesim::apiserver
