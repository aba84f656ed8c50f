// SPDX-License-Identifier: Apache-2.0
#include "scheduling/compile/rules.h"

namespace tenon::scheduling {

bool daemon_tolerates(const model::Pod& daemon, const std::vector<model::Taint>& taints) {
  return model::first_untolerated(taints, daemon.spec->tolerations) == nullptr;
}

bool ports_conflict(const std::vector<model::HostPort>& a, const std::vector<model::HostPort>& b) {
  const auto any = [](const std::string& ip) { return ip.empty() || ip == "0.0.0.0" || ip == "::"; };
  const auto protocol = [](const std::string& p) { return p.empty() ? std::string_view("TCP") : std::string_view(p); };
  for (const model::HostPort& x : a) {
    for (const model::HostPort& y : b) {
      if (x.port != y.port || protocol(x.protocol) != protocol(y.protocol)) continue;
      if (x.ip == y.ip || any(x.ip) || any(y.ip)) return true;
    }
  }
  return false;
}

bool labels_satisfy(const model::StringMap& labels, const model::Requirements& requirements) {
  for (const auto& [key, r] : requirements.by_key()) {
    const auto at = labels.find(key);
    if (at == labels.end() ? !r.tolerates_absence() : !r.allows(at->second)) return false;
  }
  return true;
}

}  // namespace tenon::scheduling
