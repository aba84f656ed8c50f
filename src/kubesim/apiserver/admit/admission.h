// Admission: the part of a write that reads other objects (namespaces, priority classes, services, storage classes).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "kubesim/apiserver/base/error.h"
#include "kubesim/apiserver/kinds/registry.h"
#include "kubesim/store/store.h"

namespace tenon::kubesim::apiserver {

Done admit_create(const Store& store, const ResourceInfo& info, boost::json::value& object);
Done admit_update(const Store& store, const ResourceInfo& info, const boost::json::value& old,
                  boost::json::value& next);

}  // namespace tenon::kubesim::apiserver
