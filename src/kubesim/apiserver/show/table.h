// meta.k8s.io Tables, the output of `kubectl get`. Built-in kinds have the columns of columns.h, custom resources their
// additionalPrinterColumns, all other resources the columns Name and Age.
// parity: pkg/printers/internalversion/printers.go,
// k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

struct KindColumns;  // columns.h

class TableView {
 public:
  TableView(const ResourceInfo& info, std::string version, std::string include_object, Instant now);
  // with_columns: false for the events of a watch after the first one.
  std::string begin(std::string_view list_metadata, bool with_columns) const;  // up to and including `"rows":[`
  std::string row(const boost::json::value& object) const;
  std::string end() const { return "]}"; }

 private:
  boost::json::array custom_cells(const boost::json::value& object) const;

  const ResourceInfo& info_;
  const std::string version_;
  const std::string include_object_;
  const Instant now_;
  const KindColumns* kind_;  // null: not a built-in kind with columns
};

// Cells that many kinds share.
namespace cells {
std::string name(const boost::json::value& object);
// The time since metadata.creationTimestamp: "5m", or "<unknown>".
std::string age(const boost::json::value& object, Instant now);
std::string since(std::string_view time, Instant now);
// "a=b,c=d", "<none>".
std::string selector(const boost::json::value* label_selector);
std::string labels(const boost::json::value* map);
// Names or images of the containers of a pod template, separated by commas.
std::string container_names(const boost::json::value& pod_spec);
std::string container_images(const boost::json::value& pod_spec);
std::string text_or(const boost::json::value& object, std::initializer_list<std::string_view> path,
                    std::string_view otherwise);
}  // namespace cells

}  // namespace tenon::kubesim::apiserver
