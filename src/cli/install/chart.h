// A release of the chart deploy/helm/tenon: its values and the names that follow from them. `tenon install manifests`
// renders the objects of the chart in C++ (render.h); `./run test-peers` compares them with those that helm renders.
// Thread rule: any thread; a Chart never changes.
// parity: value names of charts/karpenter, v0.27.5 and v1.14.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/install/settings.h"

namespace tenon::cli::install {

using ChartSettings =
    std::vector<std::pair<std::string, std::string>>;  // KEY, VALUE; a later one replaces an earlier one

class Chart {
 public:
  // Reads the values of the chart and sets those that are given. A key is a path as helm writes it (a.b\.c); the keys
  // release.name and release.namespace are what helm takes from its command line. Errors: kInvalid, which names the
  // key: unknown, not a single value; or the cluster name is missing.
  static Result<Chart> make(const Settings& settings);
  Chart(Chart&&) noexcept;
  ~Chart();

  // Returns the value at a path, or null if it is empty as in a template: null, "", 0, false, [] or {}.
  const boost::json::value* given(std::initializer_list<std::string_view> path) const;
  // Returns a value as the text of an environment variable; empty if it is not set.
  std::string text(std::initializer_list<std::string_view> path) const;

  const std::string& release() const { return release_; }
  const std::string& ns() const { return ns_; }
  std::string name() const;      // the label app.kubernetes.io/name
  std::string fullname() const;  // of the objects
  std::string service_account() const;
  std::string lease() const;
  // Returns the image of the controller. Errors: kInvalid: no repository is given, or one of Karpenter.
  Result<std::string> image() const;
  // Whether the release only observes: its roles are those of deploy/rbac-observe.yaml, and nothing of it stands in the
  // way of the controller beside it.
  bool observe() const;
  bool kwok() const;  // --cloud kwok: it needs no EKS cluster, and the permission to create Nodes
  // Whether the ConfigMaps and the webhooks of Karpenter v0.27 belong to the release.
  bool provisioners() const;
  bool webhooks() const;

 private:
  Chart();
  std::unique_ptr<boost::json::value> values_;
  std::string release_ = "tenon", ns_ = "kube-system";
};

}  // namespace tenon::cli::install
