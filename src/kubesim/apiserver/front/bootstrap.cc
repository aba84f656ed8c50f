// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/bootstrap.h"

#include "base/check.h"
#include "json/json.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

void create(Objects& objects, const Resource& resource, std::string_view ns, value initial) {
  const auto created =
      objects.create({objects.registry().get()->find(resource), std::string(ns)}, std::move(initial), {});
  CHECK(created.has_value(), created ? "" : created.error().message);
}

value priority_class(std::string_view name, int64_t priority, std::string_view description) {
  return object{{"metadata", {{"name", name}}}, {"value", priority}, {"description", description}};
}

}  // namespace

void create_initial_objects(Objects& objects) {
  for (std::string_view name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    create(objects, {"", "namespaces"}, "", object{{"metadata", {{"name", name}}}});
  }
  const Resource classes{"scheduling.k8s.io", "priorityclasses"};
  create(objects, classes, "", priority_class("system-cluster-critical", 2'000'000'000, "For pods the cluster needs."));
  create(objects, classes, "", priority_class("system-node-critical", 2'000'001'000, "For pods every node needs."));
  object port{{"name", "https"}, {"port", 443}, {"targetPort", 6443}, {"protocol", "TCP"}};
  object labels{{"component", "apiserver"}, {"provider", "kubernetes"}};
  create(objects, {"", "services"}, "default",
         object{{"metadata", {{"name", "kubernetes"}, {"labels", std::move(labels)}}},
                {"spec", {{"ports", array{std::move(port)}}, {"type", "ClusterIP"}}}});
}

}  // namespace tenon::kubesim::apiserver
