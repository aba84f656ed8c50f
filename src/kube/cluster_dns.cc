// SPDX-License-Identifier: Apache-2.0
#include "kube/cluster_dns.h"

#include "json/json.h"

namespace tenon::kube {

Result<std::string> find_cluster_dns(Client& client, const std::stop_token& stop) {
  const ResourceType services{"", "v1", "services", "Service", true};
  const json::value service = TRY(client.get(services, {"kube-system", "kube-dns"}, stop));
  const std::string address(json::string_at(service, {"spec", "clusterIP"}));
  if (address.empty() || address == "None") return fail(Code::kNotFound, "Service kube-system/kube-dns has no address");
  return address;
}

}  // namespace tenon::kube
