// Resource quantities of pods and nodes, as the simulation counts them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::kubesim {

// CPU in millicores, the rest in units.
struct Amounts {
  int64_t cpu = 0, memory = 0, ephemeral = 0, pods = 0;
  std::vector<std::pair<std::string, int64_t>> others;  // sorted by name

  void add(std::string_view name, int64_t amount);
  int64_t get(std::string_view name) const;
  Amounts& operator+=(const Amounts& other);
  Amounts& operator-=(const Amounts& other);
  static Amounts max(const Amounts& a, const Amounts& b);
};
// Parses {"cpu": "500m", …}; rounds up. Skips quantities that do not parse: the API server rejects them.
Amounts parse_amounts(const boost::json::object& quantities);
// parity: k8s.io/component-helpers/resource PodRequests (init containers, side-cars, overhead, pod-level requests)
Amounts pod_requests(const boost::json::value& pod_spec);

}  // namespace tenon::kubesim
