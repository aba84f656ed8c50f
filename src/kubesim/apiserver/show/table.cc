// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/show/table.h"

#include "json/json.h"
#include "kubesim/apiserver/base/json_path.h"
#include "kubesim/apiserver/show/columns.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using json::string_at;

value definition(const PrinterColumn& column) {
  return object{{"name", column.name},
                {"type", column.type},
                {"format", column.name == "Name" ? "name" : column.format},
                {"description", column.description},
                {"priority", column.priority}};
}

std::vector<PrinterColumn> all_columns(const ResourceInfo& info, const KindColumns* kind) {
  std::vector<PrinterColumn> result;
  if (kind != nullptr) {
    for (const KindColumn& column : kind->columns) result.push_back(column.definition);
    return result;
  }
  result.push_back({.name = "Name", .type = "string"});
  if (info.custom && !info.custom->columns.empty()) {
    result.insert(result.end(), info.custom->columns.begin(), info.custom->columns.end());
  } else {
    result.push_back({.name = "Age", .type = "string"});
  }
  return result;
}

// Returns the text of the values of a printer column, separated by commas.
std::string joined(const std::vector<const value*>& found) {
  std::string text;
  for (const value* v : found) {
    if (!text.empty()) text += ',';
    text += v->is_string() ? std::string(v->get_string()) : json::to_string(*v);
  }
  return text;
}

value custom_cell(const PrinterColumn& column, const value& at, Instant now) {
  const auto found = json_path(at, column.json_path);
  if (found.empty() || (found.size() == 1 && found[0]->is_null())) return nullptr;
  if (column.type == "date") {
    return found[0]->is_string() ? value(cells::since(found[0]->get_string(), now)) : value("<unknown>");
  }
  if (found.size() == 1 && !found[0]->is_structured() && column.type != "string") return *found[0];
  return value(joined(found));
}

}  // namespace

TableView::TableView(const ResourceInfo& info, std::string version, std::string include_object, Instant now)
    : info_(info),
      version_(std::move(version)),
      include_object_(std::move(include_object)),
      now_(now),
      kind_(info.custom ? nullptr : builtin_columns(info.group, info.kind)) {}

std::string TableView::begin(std::string_view list_metadata, bool with_columns) const {
  std::string out =
      R"({"kind":"Table","apiVersion":"meta.k8s.io/)" + version_ + R"(","metadata":)" + std::string(list_metadata);
  if (with_columns) {
    array definitions;
    for (const PrinterColumn& column : all_columns(info_, kind_)) definitions.push_back(definition(column));
    out += ",\"columnDefinitions\":" + json::to_string(definitions);
  } else {
    out += ",\"columnDefinitions\":null";
  }
  return out + ",\"rows\":[";
}

array TableView::custom_cells(const value& at) const {
  array result{cells::name(at)};
  if (info_.custom && !info_.custom->columns.empty()) {
    for (const PrinterColumn& column : info_.custom->columns) result.push_back(custom_cell(column, at, now_));
  } else {
    result.emplace_back(cells::age(at, now_));
  }
  return result;
}

std::string TableView::row(const value& at) const {
  std::string out = "{\"cells\":" + json::to_string(kind_ != nullptr ? cells_of(*kind_, at, now_) : custom_cells(at));
  if (include_object_ == "Object") {
    out += ",\"object\":" + json::to_string(at);
  } else if (include_object_ != "None") {
    out += R"(,"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/)" + version_ + R"(","metadata":)" +
           json::to_string(*json::find(at, {"metadata"})) + "}";
  }
  return out + "}";
}

namespace cells {

std::string name(const value& at) { return std::string(string_at(at, {"metadata", "name"})); }

std::string since(std::string_view time, Instant now) {
  const auto then = parse_rfc3339(time);
  if (!then) return "<unknown>";
  return format_age(*then > now ? Duration(0) : now - *then);
}

std::string age(const value& at, Instant now) { return since(string_at(at, {"metadata", "creationTimestamp"}), now); }

std::string labels(const value* map) {
  std::string text;
  if (map != nullptr && map->is_object()) {
    for (const auto& entry : map->get_object()) {
      if (!text.empty()) text += ',';
      text += std::string(entry.key()) + "=" + std::string(entry.value().is_string() ? entry.value().get_string() : "");
    }
  }
  return text.empty() ? "<none>" : text;
}

std::string selector(const value* label_selector) {
  if (label_selector == nullptr || !label_selector->is_object()) return "<none>";
  std::string text;
  const auto add = [&](const std::string& term) { text += (text.empty() ? "" : ",") + term; };
  if (const value* map = json::find(*label_selector, {"matchLabels"})) {
    if (map->is_object() && !map->get_object().empty()) add(labels(map));
  }
  for (const value& e : json::array_at(*label_selector, {"matchExpressions"})) {
    const std::string key(string_at(e, {"key"}));
    const std::string_view op = string_at(e, {"operator"});
    std::string values;
    for (const value& v : json::array_at(e, {"values"})) {
      values += (values.empty() ? "" : ",") + std::string(v.is_string() ? v.get_string() : "");
    }
    if (op == "In")
      add(key + " in (" + values + ")");
    else if (op == "NotIn")
      add(key + " notin (" + values + ")");
    else
      add(op == "DoesNotExist" ? "!" + key : key);
  }
  return text.empty() ? "<none>" : text;
}

namespace {
std::string container_fields(const value& pod_spec, std::string_view field) {
  std::string text;
  for (const value& container : json::array_at(pod_spec, {"containers"})) {
    if (!text.empty()) text += ',';
    text += string_at(container, {field});
  }
  return text;
}
}  // namespace

std::string container_names(const value& pod_spec) { return container_fields(pod_spec, "name"); }
std::string container_images(const value& pod_spec) { return container_fields(pod_spec, "image"); }

std::string text_or(const value& at, std::initializer_list<std::string_view> path, std::string_view otherwise) {
  const value* found = json::find(at, path);
  if (found == nullptr || found->is_null()) return std::string(otherwise);
  const std::string text = found->is_string() ? std::string(found->get_string()) : json::to_string(*found);
  return text.empty() ? std::string(otherwise) : text;
}

}  // namespace cells
}  // namespace tenon::kubesim::apiserver
