// SPDX-License-Identifier: Apache-2.0
#include "kube/access/kubeconfig_entry.h"

#include <filesystem>

#include "base/text.h"
#include "json/json.h"

namespace tenon::kube {
namespace {

using json::value;

const value* member(const value& content, std::string_view field) {
  const value* found = json::find(content, {field});
  return found && !found->is_null() ? found : nullptr;
}

}  // namespace

tl::unexpected<Error> KubeconfigEntry::wrong(std::string_view field, const std::string& cause) const {
  return fail(Code::kInvalid, where_ + ": " + std::string(field) + ": " + cause);
}

bool KubeconfigEntry::has(std::string_view field) const { return member(*content_, field) != nullptr; }

Result<std::string> KubeconfigEntry::text(std::string_view field) const {
  const value* found = member(*content_, field);
  if (!found) return std::string();
  if (!found->is_string()) return wrong(field, "must be a string");
  return std::string(found->get_string());
}

Result<bool> KubeconfigEntry::flag(std::string_view field) const {
  const value* found = member(*content_, field);
  if (!found) return false;
  if (!found->is_bool()) return wrong(field, "must be true or false");
  return found->get_bool();
}

Result<std::vector<std::string>> KubeconfigEntry::texts(std::string_view field) const {
  std::vector<std::string> all;
  const value* found = member(*content_, field);
  if (!found) return all;
  if (!found->is_array()) return wrong(field, "must be a list of strings");
  for (const value& item : found->get_array()) {
    if (!item.is_string()) return wrong(field, "must be a list of strings");
    all.emplace_back(item.get_string());
  }
  return all;
}

Result<KubeconfigEntry> KubeconfigEntry::within(std::string_view field) const {
  const value* found = member(*content_, field);
  if (!found || !found->is_object()) return wrong(field, "must be an object");
  return KubeconfigEntry(*found, file_, where_ + ": " + std::string(field));
}

Result<std::vector<KubeconfigEntry>> KubeconfigEntry::entries(std::string_view field) const {
  std::vector<KubeconfigEntry> all;
  const value* found = member(*content_, field);
  if (!found) return all;
  if (!found->is_array()) return wrong(field, "must be a list of objects");
  for (const value& item : found->get_array()) {
    if (!item.is_object()) return wrong(field, "must be a list of objects");
    all.emplace_back(item, file_, where_ + ": " + std::string(field) + "[" + std::to_string(all.size()) + "]");
  }
  return all;
}

std::string KubeconfigEntry::resolve(std::string_view name) const {
  const std::filesystem::path file(name);
  return file.is_absolute() ? file.string() : (std::filesystem::path(file_).parent_path() / file).string();
}

Result<std::string> KubeconfigEntry::path(std::string_view field) const {
  const std::string name = TRY(text(field));
  return name.empty() ? name : resolve(name);
}

Result<FromFile> KubeconfigEntry::data_or_file(std::string_view field) const {
  const std::string data_field = std::string(field) + "-data";
  if (const std::string data = TRY(text(data_field)); !data.empty()) {
    FromFile out;
    if (!base64_decode(data, out.text)) return wrong(data_field, "not base64");
    return out;
  }
  FromFile out{.text = "", .file = TRY(path(field))};
  if (out.file.empty()) return out;
  Result<std::string> read = read_text_file(out.file);
  if (!read) return wrong(field, read.error().message);
  if (trim(*read).empty()) return wrong(field, out.file + " is empty");
  out.text = *std::move(read);
  return out;
}

}  // namespace tenon::kube
