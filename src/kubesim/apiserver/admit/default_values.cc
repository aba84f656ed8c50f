// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/admit/default_values.h"

#include "json/json.h"

namespace tenon::kubesim::apiserver::defaults {

void fill(object& at, std::string_view field, value otherwise) {
  value& slot = at[field];
  if (slot.is_null()) slot = std::move(otherwise);
}

object* child(object& at, std::string_view field) {
  value* v = at.if_contains(field);
  return v == nullptr ? nullptr : v->if_object();
}

void for_each(object& at, std::string_view field, const std::function<void(object&)>& visit) {
  value* v = at.if_contains(field);
  if (v == nullptr || !v->is_array()) return;
  for (value& item : v->get_array()) {
    if (object* o = item.if_object()) visit(*o);
  }
}

}  // namespace tenon::kubesim::apiserver::defaults
