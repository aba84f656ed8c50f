// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/bottlerocket_settings.h"

#include <iterator>
#include <limits>
#include <span>

#include "cloud/aws_provider/util/toml_document.h"
#include "json/json.h"

namespace tenon::cloud {
namespace {

enum class Kind {
  kText,
  kInteger,
  kUnsigned,  // of 32 bits
  kFlag,
  kTexts,
  kTextLists,  // lists of strings in a list
  kTextMap,
  kTextsMap,  // a table of lists of strings
  kTable,     // with fields
  kTables,    // a table of tables with fields
};

struct Setting {
  std::string_view name;
  Kind kind;
  const Setting* fields = nullptr;
  size_t field_count = 0;
};

constexpr Setting kCredentialProvider[] = {
    {"enabled", Kind::kFlag},
    {"cache-duration", Kind::kText},
    {"image-patterns", Kind::kTexts},
    {"environment", Kind::kTextMap},
};
constexpr Setting kStaticPod[] = {
    {"enabled", Kind::kFlag},
    {"manifest", Kind::kText},
};
constexpr Setting kTopologyOptions[] = {
    {"prefer-closest-numa-nodes", Kind::kFlag},
    {"max-allowable-numa-nodes", Kind::kInteger},
};
constexpr Setting kBootstrapCommand[] = {
    {"commands", Kind::kTextLists},
    {"mode", Kind::kText},
    {"essential", Kind::kFlag},
};

constexpr Setting kKubernetes[] = {
    {"api-server", Kind::kText},
    {"cloud-provider", Kind::kText},
    {"cluster-certificate", Kind::kText},
    {"cluster-name", Kind::kText},
    {"cluster-dns-ip", Kind::kText},
    {"max-pods", Kind::kInteger},
    {"eviction-max-pod-grace-period", Kind::kInteger},
    {"allowed-unsafe-sysctls", Kind::kTexts},
    {"server-tls-bootstrap", Kind::kFlag},
    {"registry-qps", Kind::kInteger},
    {"registry-burst", Kind::kInteger},
    {"event-qps", Kind::kInteger},
    {"event-burst", Kind::kInteger},
    {"kube-api-qps", Kind::kInteger},
    {"kube-api-burst", Kind::kInteger},
    {"container-log-max-size", Kind::kText},
    {"container-log-max-files", Kind::kInteger},
    {"cpu-manager-policy", Kind::kText},
    {"cpu-manager-policy-options", Kind::kTexts},
    {"cpu-manager-reconcile-period", Kind::kText},
    {"memory-manager-policy", Kind::kText},
    {"topology-manager-scope", Kind::kText},
    {"topology-manager-policy", Kind::kText},
    {"image-gc-high-threshold-percent", Kind::kText},
    {"image-gc-low-threshold-percent", Kind::kText},
    {"ids-per-pod", Kind::kInteger},
    {"cpu-cfs-quota-enforced", Kind::kFlag},
    {"shutdown-grace-period", Kind::kText},
    {"shutdown-grace-period-for-critical-pods", Kind::kText},
    {"cluster-domain", Kind::kText},
    {"seccomp-default", Kind::kFlag},
    {"pod-pids-limit", Kind::kInteger},
    {"device-ownership-from-security-context", Kind::kFlag},
    {"single-process-oom-kill", Kind::kFlag},
    {"container-log-max-workers", Kind::kInteger},
    {"container-log-monitor-interval", Kind::kText},
    {"hostname-override-source", Kind::kText},
    {"log-level", Kind::kUnsigned},
    {"credential-providers", Kind::kTables, kCredentialProvider, std::size(kCredentialProvider)},
    {"node-labels", Kind::kTextMap},
    {"node-taints", Kind::kTextsMap},
    {"static-pods", Kind::kTables, kStaticPod, std::size(kStaticPod)},
    {"eviction-hard", Kind::kTextMap},
    {"eviction-soft", Kind::kTextMap},
    {"eviction-soft-grace-period", Kind::kTextMap},
    {"kube-reserved", Kind::kTextMap},
    {"system-reserved", Kind::kTextMap},
    {"topology-manager-policy-options", Kind::kTable, kTopologyOptions, std::size(kTopologyOptions)},
};

std::string_view type_of(const json::value& value) {
  if (value.is_string()) return "a string";
  if (value.is_int64()) return "an integer";
  if (value.is_double()) return "a float";
  if (value.is_bool()) return "a boolean";
  return value.is_array() ? "a list" : "a table";
}

tl::unexpected<Error> mismatch(const std::string& path, std::string_view wanted, const json::value& value) {
  return fail(Code::kInvalid, path + ": must be " + std::string(wanted) + ", not " + std::string(type_of(value)));
}

Result<json::value> checked(const Setting& setting, const json::value& value, const std::string& path);

// Checks each member of a list or table by the same rule.
Result<json::value> checked_members(const Setting& member, const json::value& value, bool list,
                                    const std::string& path) {
  if (list ? !value.is_array() : !value.is_object()) return mismatch(path, list ? "a list" : "a table", value);
  if (list) {
    json::array out;
    for (const json::value& element : value.get_array()) {
      json::value one = TRY(checked(member, element, path + "[" + std::to_string(out.size()) + "]"));
      out.push_back(std::move(one));
    }
    return json::value(std::move(out));
  }
  json::object out;
  for (const auto& [key, element] : value.get_object()) {
    json::value one = TRY(checked(member, element, path + "." + toml_key(key)));
    out.emplace(key, std::move(one));
  }
  return json::value(std::move(out));
}

bool is_empty(const json::value& value) {
  return (value.is_array() && value.get_array().empty()) || (value.is_object() && value.get_object().empty());
}

Result<json::object> checked_fields(std::span<const Setting> fields, const json::value& value,
                                    const std::string& path) {
  if (!value.is_object()) return mismatch(path, "a table", value);
  json::object out;
  for (const Setting& field : fields) {
    const json::value* given = value.get_object().if_contains(field.name);
    if (given == nullptr) continue;
    json::value one = TRY(checked(field, *given, path + "." + std::string(field.name)));
    if (!is_empty(one)) out.emplace(field.name, std::move(one));
  }
  return out;
}

Result<json::value> checked(const Setting& setting, const json::value& value, const std::string& path) {
  switch (setting.kind) {
    case Kind::kText:
      if (!value.is_string()) return mismatch(path, "a string", value);
      return value;
    case Kind::kInteger:
      if (!value.is_int64()) return mismatch(path, "an integer", value);
      return value;
    case Kind::kUnsigned:
      if (!value.is_int64()) return mismatch(path, "an integer", value);
      if (value.get_int64() < 0 || value.get_int64() > std::numeric_limits<uint32_t>::max()) {
        return fail(Code::kInvalid, path + ": must be from 0 to 4294967295");
      }
      return value;
    case Kind::kFlag:
      if (!value.is_bool()) return mismatch(path, "a boolean", value);
      return value;
    case Kind::kTexts: return checked_members({"", Kind::kText}, value, true, path);
    case Kind::kTextLists: return checked_members({"", Kind::kTexts}, value, true, path);
    case Kind::kTextMap: return checked_members({"", Kind::kText}, value, false, path);
    case Kind::kTextsMap: return checked_members({"", Kind::kTexts}, value, false, path);
    case Kind::kTables:
      return checked_members({"", Kind::kTable, setting.fields, setting.field_count}, value, false, path);
    case Kind::kTable: break;
  }
  json::object table = TRY(checked_fields({setting.fields, setting.field_count}, value, path));
  return json::value(std::move(table));
}

}  // namespace

Result<boost::json::object> known_kubernetes_settings(const boost::json::value& given) {
  return checked_fields(kKubernetes, given, "settings.kubernetes");
}

Result<boost::json::object> known_bootstrap_commands(const boost::json::value& given) {
  const Setting commands{"", Kind::kTables, kBootstrapCommand, std::size(kBootstrapCommand)};
  json::value known = TRY(checked(commands, given, "settings.bootstrap-commands"));
  return std::move(known.get_object());
}

}  // namespace tenon::cloud
