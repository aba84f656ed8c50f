// One entry of a kubeconfig (a cluster, user or context), with checks of its fields. Errors: kInvalid; a message names
// file, entry, field and cause. Missing and null fields are empty.
// Borrows the document. Thread rule: one thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kube/access/kubeconfig.h"

namespace tenon::kube {

class KubeconfigEntry {
 public:
  // `where`: `FILE: users "NAME"`; fields of a nested object have a longer one (within()).
  KubeconfigEntry(const boost::json::value& content, std::string file, std::string where)
      : content_(&content), file_(std::move(file)), where_(std::move(where)) {}

  bool has(std::string_view field) const;  // and is not null
  Result<std::string> text(std::string_view field) const;
  Result<bool> flag(std::string_view field) const;
  Result<std::vector<std::string>> texts(std::string_view field) const;
  Result<KubeconfigEntry> within(std::string_view field) const;                // an object
  Result<std::vector<KubeconfigEntry>> entries(std::string_view field) const;  // a list of objects
  // A file name, made absolute: relative names are relative to the kubeconfig.
  Result<std::string> path(std::string_view field) const;
  // "<field>-data" (base64) takes precedence over the file that "<field>" names.
  Result<FromFile> data_or_file(std::string_view field) const;

  const boost::json::value& content() const { return *content_; }
  const std::string& where() const { return where_; }
  std::string resolve(std::string_view name) const;
  tl::unexpected<Error> wrong(std::string_view field, const std::string& cause) const;

 private:
  const boost::json::value* content_;
  std::string file_, where_;
};

// Reads users[].user.exec; defined in kubeconfig_exec.cc. `cluster` is the one of the context, for plugins that ask for
// it.
Result<ExecPlugin> read_exec_plugin(const KubeconfigEntry& exec, const KubeconfigEntry& cluster,
                                    const Connection& connection);

}  // namespace tenon::kube
