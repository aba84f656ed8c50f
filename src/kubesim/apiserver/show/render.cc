// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/show/render.h"

#include "json/json.h"
#include "json/yaml.h"
#include "kubesim/apiserver/show/table.h"

namespace tenon::kubesim::apiserver {
namespace {

using boost::json::object;
using boost::json::value;

// Lists of custom resources always have the key `continue`, because they are not structs in a real API server.
std::string list_metadata(const Renderer::ListMeta& meta, bool custom) {
  object fields{{"resourceVersion", std::to_string(meta.resource_version)}};
  if (custom || !meta.continue_token.empty()) {
    fields["continue"] = meta.continue_token;
    if (meta.remaining != 0) fields["remainingItemCount"] = meta.remaining;
  }
  return json::to_string(fields);
}

std::string version_metadata(const value& stored) {
  return json::to_string(object{{"resourceVersion", json::string_at(stored, {"metadata", "resourceVersion"})}});
}

std::string partial(const value& stored, std::string_view version) {
  return R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/)" + std::string(version) + R"(","metadata":)" +
         json::to_string(*json::find(stored, {"metadata"})) + "}";
}

// Appends an item without kind and apiVersion, which typed lists omit.
void append_item(const value& item, std::string& out) {
  out += '{';
  bool first = true;
  for (const auto& member : item.get_object()) {
    if (member.key() == "kind" || member.key() == "apiVersion") continue;
    if (!first) out += ',';
    first = false;
    out += boost::json::serialize(member.key());
    out += ':';
    out += json::to_string(member.value());
  }
  out += '}';
}

}  // namespace

Renderer::Renderer(const ResourceInfo& info, Wanted wanted, std::string include_object, Instant now)
    : info_(info), wanted_(std::move(wanted)), include_object_(std::move(include_object)), now_(now) {}

std::string_view Renderer::content_type() const {
  return wanted_.form == Wanted::Form::kYaml ? "application/yaml" : "application/json";
}

std::string Renderer::body(const value& served) const {
  if (wanted_.form == Wanted::Form::kPartialMetadata) return partial(served, wanted_.version);
  return json::to_string(served);
}

std::string Renderer::one(const value& served) const {
  if (wanted_.form == Wanted::Form::kYaml) return json::to_yaml(served);
  if (wanted_.form != Wanted::Form::kTable) return body(served) + "\n";
  const TableView table(info_, wanted_.version, include_object_, now_);
  return table.begin(version_metadata(served), true) + table.row(served) + table.end() + "\n";
}

std::string Renderer::list(const std::vector<Object>& items, const ListMeta& meta) const {
  std::string out;
  if (wanted_.form == Wanted::Form::kTable) {
    const TableView table(info_, wanted_.version, include_object_, now_);
    out = table.begin(list_metadata(meta, false), true);
    for (const Object& item : items) {
      if (item != items.front()) out += ',';
      out += table.row(*item);
    }
    return out + table.end() + "\n";
  }
  const bool partial_list = wanted_.form == Wanted::Form::kPartialMetadata;
  out = R"({"kind":")" + (partial_list ? "PartialObjectMetadataList" : info_.kind + "List") + R"(","apiVersion":")" +
        (partial_list ? "meta.k8s.io/" + wanted_.version : info_.api_version()) + R"(","metadata":)" +
        list_metadata(meta, info_.custom && !partial_list) + R"(,"items":[)";
  for (const Object& item : items) {
    if (item != items.front()) out += ',';
    if (partial_list || info_.custom)
      out += body(*item);
    else
      append_item(*item, out);
  }
  out += "]}\n";
  if (wanted_.form != Wanted::Form::kYaml) return out;
  const auto parsed = json::parse(out);
  return parsed ? json::to_yaml(*parsed) : out;
}

std::string Renderer::event(std::string_view type, const value& served, bool first) const {
  std::string out = R"({"type":")" + std::string(type) + R"(","object":)";
  if (wanted_.form == Wanted::Form::kTable) {
    const TableView table(info_, wanted_.version, include_object_, now_);
    out += table.begin(version_metadata(served), first) + table.row(served) + table.end();
  } else {
    out += body(served);
  }
  return out + "}\n";
}

std::string Renderer::bookmark(uint64_t resource_version, std::string_view annotations) const {
  std::string metadata = R"({"resourceVersion":")" + std::to_string(resource_version) + R"(","creationTimestamp":null)";
  if (!annotations.empty()) metadata += ",\"annotations\":" + std::string(annotations);
  metadata += "}";
  std::string kind = info_.kind, version = info_.api_version();
  if (wanted_.form == Wanted::Form::kTable || wanted_.form == Wanted::Form::kPartialMetadata) {
    kind = wanted_.form == Wanted::Form::kTable ? "Table" : "PartialObjectMetadata";
    version = "meta.k8s.io/" + wanted_.version;
  }
  return R"({"type":"BOOKMARK","object":{"kind":")" + kind + R"(","apiVersion":")" + version + R"(","metadata":)" +
         metadata + (kind == "Table" ? R"(,"columnDefinitions":null,"rows":[])" : "") + "}}\n";
}

}  // namespace tenon::kubesim::apiserver
