// SPDX-License-Identifier: Apache-2.0
#include "cli/process/log_json.h"

#include <fmt/format.h>

#include <boost/json/fwd.hpp>

#include "json/json.h"

namespace tenon::cli {
namespace {

// The finalizer of splitmix64: neighbouring numbers give unlike results.
uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

void add(std::string& out, std::string_view key, std::string_view raw) {
  if (!out.empty()) out += ',';
  out += json_quoted(key) + ':';
  out += raw;
}

void add_text(std::string& out, std::string_view key, const std::string& text) {
  if (!text.empty()) add(out, key, json_quoted(text));
}

// {"name":"default-x"}
void add_named(std::string& out, std::string_view key, const std::string& name) {
  if (!name.empty()) add(out, key, "{\"name\":" + json_quoted(name) + "}");
}

std::string group_of(std::string_view kind) {
  if (kind == "NodeClaim" || kind == "NodePool" || kind == "Provisioner") return "karpenter.sh";
  return kind == "EC2NodeClass" || kind == "AWSNodeTemplate" ? "karpenter.k8s.aws" : "";
}

std::string object(const log::Object& members) {
  std::string out;
  for (const auto& [key, text] : members) {
    if (key == "Node" || key == "NodeClaim") {
      add_named(out, key, text);
    } else {
      add(out, key, json_quoted(text));
    }
  }
  return "{" + out + "}";
}

std::string raw(const log::Value& value) {
  switch (value.kind) {
    case log::Value::Kind::kText: return json_quoted(value.text);
    case log::Value::Kind::kNumber: return std::to_string(value.number);
    case log::Value::Kind::kObject: return object(value.objects.front());
    case log::Value::Kind::kObjects: break;
  }
  std::string out;
  for (const log::Object& one : value.objects) out += (out.empty() ? "" : ",") + object(one);
  return "[" + out + "]";
}

}  // namespace

std::string json_quoted(std::string_view text) { return json::to_string(json::value(text)); }

std::string reconcile_id(uint64_t seed, uint64_t number) {
  const uint64_t high = mixed(seed + number * 0x9e3779b97f4a7c15ULL), low = mixed(high + number);
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff, high & 0xfff,
                     0x8000 | (low >> 48 & 0x3fff), low & 0xffffffffffff);
}

std::string json_members(const log::Line& line, std::string_view commit, uint64_t seed) {
  const log::Fields& f = line.fields;
  std::string out;
  add_text(out, "commit", std::string(commit));
  add_text(out, "controller", f.controller);
  if (!f.kind.empty()) {
    add(out, "controllerGroup", json_quoted(group_of(f.kind)));
    add_text(out, "controllerKind", f.kind);
  }
  if (!f.name.empty()) {
    add(out, "namespace", json_quoted(f.ns));
    add_text(out, "name", f.name);
  }
  if (line.reconciliation != 0) add_text(out, "reconcileID", reconcile_id(seed, line.reconciliation));
  add_named(out, "NodePool", f.node_pool);
  add_named(out, "NodeClaim", f.node_claim);
  add_named(out, "Node", f.node);
  add_text(out, "provider-id", f.provider_id);
  for (const log::Value& value : f.more) add(out, log::key_name(value.key), raw(value));
  add_text(out, "error", line.error);
  if (line.words != line.message) add_text(out, "detail", line.words);
  return out;
}

}  // namespace tenon::cli
