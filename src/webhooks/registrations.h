// Finds the objects in which the API server looks up the webhooks, and writes the CA into them: the CRDs that convert
// through our Service, and the webhook configurations of v0.27. The manifests in deploy/ install them.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client.h"
#include "webhooks/certificate.h"

namespace tenon::webhooks {

// An object with at least one clientConfig that names our Service.
struct Registration {
  kube::ResourceType type;
  std::string name;                                  // of the object
  std::vector<std::pair<size_t, std::string>> ours;  // of a webhook configuration: index and name of its webhooks
  bool trusts(std::string_view ca_pem) const;        // every one of them has this CA
  std::vector<std::string> bundles = {};             // their caBundle
};

// Returns the registrations that exist. An object that cannot be read is an error only after all others were read; the
// result is then incomplete, and `failed` has the first error.
std::vector<Registration> find_registrations(kube::Client& client, const ServiceName& service, bool admission,
                                             Status& failed, const std::stop_token& stop);
// Writes the CA. Errors: of the API server; kConflict: somebody changed the object meanwhile.
Status inject_ca(kube::Client& client, const Registration& registration, const std::string& ca_pem,
                 const std::stop_token& stop);

}  // namespace tenon::webhooks
