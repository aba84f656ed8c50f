// ResourceInfo: what the API server knows of one resource. Immutable and shared once it is in a Registry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubesim/api.h"
#include "kubesim/apiserver/base/error.h"
#include "schema/schema.h"

namespace tenon::kubesim::apiserver {

struct Verbs {
  enum : unsigned {
    kCreate = 1,
    kDelete = 2,
    kDeleteCollection = 4,
    kGet = 8,
    kList = 16,
    kPatch = 32,
    kUpdate = 64,
    kWatch = 128,
    kAll = 255,
    kReadOnly = kGet | kList,
    kStatus = kGet | kPatch | kUpdate,
  };
  // Returns the names in the order of discovery documents.
  static std::vector<std::string_view> names(unsigned verbs);
};

struct Traits {
  enum : unsigned {
    kGeneration = 1,        // metadata.generation counts changes of the spec
    kStatus = 2,            // has a status that only the status subresource changes
    kKeepsStatus = 4,       // ... except on create
    kReturnsDeleted = 8,    // DELETE answers with the object, not with a Status
    kVirtual = 16,          // not stored: code computes the response
    kLabelName = 32,        // the name is a DNS label, not a subdomain
    kPathName = 64,         // the name is any valid path segment (RBAC)
    kUnconditional = 128,   // PUT without a resourceVersion overwrites
    kCreateOnUpdate = 256,  // PUT creates a missing object
  };
};

struct Subresource {
  std::string name;
  unsigned verbs = 0;
  std::string group = {}, version = {}, kind = {};  // empty: the resource's own
};

struct PrinterColumn {
  std::string name, type, format, description, json_path;
  int64_t priority = 0;
};

class ShapeSet;

// Converts objects of one kind to another version of its group, in the same order.
using Convert = std::function<Answer<std::vector<boost::json::value>>(std::vector<boost::json::value> objects,
                                                                      const std::string& api_version)>;

// The additional data of a custom resource.
struct CustomResource {
  Convert convert;                                     // empty: versions differ in apiVersion only
  std::shared_ptr<const schema::CrdSchema> schema;     // null: no validation
  std::shared_ptr<const boost::json::value> open_api;  // its openAPIV3Schema
  std::shared_ptr<const ShapeSet> shapes;              // of open_api; the root has the kind's name
  std::vector<PrinterColumn> columns;
  bool scale = false;
  std::string replicas_path, status_replicas_path, label_selector_path;  // ".spec.replicas"
};

struct ResourceInfo {
  std::string group, version, kind, plural, singular;
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  bool namespaced = true;
  unsigned verbs = Verbs::kAll;
  unsigned traits = 0;
  std::vector<Subresource> subresources = {};
  // "spec.nodeName": what field selectors accept beside metadata.name and metadata.namespace.
  std::vector<std::string> selectable_fields = {};
  // The group and version in which objects are stored, if they differ from the group and version of this resource.
  std::string storage_group = {}, storage_version = {};
  std::shared_ptr<const CustomResource> custom = nullptr;
  std::string deprecation_warning = {};

  bool has(unsigned trait) const { return (traits & trait) != 0; }
  bool allows(unsigned verb) const { return (verbs & verb) != 0; }
  const Subresource* subresource(std::string_view name) const;
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  // The apiVersion of stored objects.
  std::string stored_api_version() const;
  Resource storage() const;
  // "deployments.apps"; "pods".
  std::string qualified() const { return group.empty() ? plural : plural + "." + group; }
};
using InfoPtr = std::shared_ptr<const ResourceInfo>;

}  // namespace tenon::kubesim::apiserver
