// Cells that columns of many kinds share: one field of the object as text, number or list.
// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "kubesim/apiserver/show/columns.h"
#include "kubesim/apiserver/show/table.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::value;

const value* field_at(const value& object, const CellInput& input) {
  const value* at = &object;
  for (const std::string& step : input.path) {
    const boost::json::object* members = at->if_object();
    at = members == nullptr ? nullptr : members->if_contains(step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

value name_cell(const value& object, const CellInput&) { return value(cells::name(object)); }
value age_cell(const value& object, const CellInput& input) { return value(cells::age(object, input.now)); }

value text_cell(const value& object, const CellInput& input) {
  const value* found = field_at(object, input);
  return found == nullptr ? value(input.otherwise) : value(cells::text_or(*found, {}, input.otherwise));
}

value integer_cell(const value& object, const CellInput& input) {
  const value* found = field_at(object, input);
  return found == nullptr ? 0 : json::int_at(*found, {});
}

value boolean_cell(const value& object, const CellInput& input) {
  const value* found = field_at(object, input);
  return found != nullptr && json::bool_at(*found, {});
}

value count_cell(const value& object, const CellInput& input) {
  const value* found = field_at(object, input);
  if (found == nullptr) return 0;
  return found->is_array() ? found->get_array().size() : json::object_at(*found, {}).size();
}

value since_cell(const value& object, const CellInput& input) {
  const value* found = field_at(object, input);
  const std::string_view time = found == nullptr ? "" : json::string_at(*found, {});
  return time.empty() ? value(input.otherwise) : value(cells::since(time, input.now));
}

value labels_cell(const value& object, const CellInput& input) { return value(cells::labels(field_at(object, input))); }
value selector_cell(const value& object, const CellInput& input) {
  return value(cells::selector(field_at(object, input)));
}

value container_names_cell(const value& object, const CellInput& input) {
  const value* spec = field_at(object, input);
  return spec == nullptr ? value("") : value(cells::container_names(*spec));
}

value container_images_cell(const value& object, const CellInput& input) {
  const value* spec = field_at(object, input);
  return spec == nullptr ? value("") : value(cells::container_images(*spec));
}

// Returns "Deployment/web" for a reference to an object.
value reference_cell(const value& object, const CellInput& input) {
  const value* found = field_at(object, input);
  if (found == nullptr) return value("/");
  return value(std::string(json::string_at(*found, {"kind"})) + "/" + std::string(json::string_at(*found, {"name"})));
}

}  // namespace

std::span<const CellFunction> common_cells() {
  using Takes = CellFunction::Takes;
  static constexpr CellFunction kFunctions[] = {{"name", name_cell},
                                                {"age", age_cell},
                                                {"text", text_cell, Takes::kPathAndDefault},
                                                {"integer", integer_cell, Takes::kPath},
                                                {"boolean", boolean_cell, Takes::kPath},
                                                {"count", count_cell, Takes::kPath},
                                                {"since", since_cell, Takes::kPathAndDefault},
                                                {"labels", labels_cell, Takes::kPath},
                                                {"selector", selector_cell, Takes::kPath},
                                                {"container_names", container_names_cell, Takes::kPath},
                                                {"container_images", container_images_cell, Takes::kPath},
                                                {"reference", reference_cell, Takes::kPath}};
  return kFunctions;
}

}  // namespace tenon::kubesim::apiserver
