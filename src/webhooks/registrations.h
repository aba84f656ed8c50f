// Where the API server finds the webhooks: the CRDs that convert through our Service, and the webhook configurations of
// v0.27. They are installed with the manifests (deploy/); this puts the CA into them.
// Thread rule: one thread at a time for each Client.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client.h"
#include "webhooks/certificate.h"

namespace tenon::webhooks {

// A place that holds a clientConfig with our Service.
struct Registration {
  kube::ResourceType type;
  std::string name;                                  // of the object
  std::vector<std::pair<size_t, std::string>> ours;  // of a webhook configuration: index and name of its webhooks
  bool trusts(std::string_view ca_pem) const;        // every one of them has this CA
  std::vector<std::string> bundles = {};             // their caBundle
};

// Returns those that exist. An object that cannot be read is an error only after all others were read; the result is
// then incomplete, and `failed` has the first error.
std::vector<Registration> find_registrations(kube::Client& client, const ServiceName& service, bool admission,
                                             Status& failed, const std::stop_token& stop);
// Writes the CA. Errors: of the API server; kConflict: somebody changed the object meanwhile.
Status inject_ca(kube::Client& client, const Registration& registration, const std::string& ca_pem,
                 const std::stop_token& stop);

}  // namespace tenon::webhooks
