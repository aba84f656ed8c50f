// SPDX-License-Identifier: Apache-2.0
#include "expectation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "cli/documents/plan_documents.h"
#include "cli/why/why_command.h"
#include "cluster_document.h"
#include "json/json.h"
#include "json/yaml.h"
#include "model/price.h"
#include "rule.h"

namespace tenon::scenarios {
namespace {

namespace fs = std::filesystem;
using json::value;

Result<std::string> write_file(const std::string& scratch, const std::string& name, const value& document) {
  const std::string path = scratch + "/" + name;
  std::ofstream out(path);
  out << json::to_string(document);
  out.close();
  if (!out) return fail(Code::kInternal, path + " cannot be written");
  return path;
}

// Returns the scenario without the field at the path, as a file of the same name: messages contain the name.
Result<std::string> write_without(const fs::path& file, const std::string& scratch, const std::string& path) {
  const std::string text = TRY(cli::read_text(file, std::cin));
  std::vector<value> documents = TRY(json::parse_yaml(text));
  TRY(remove_from_manifests(documents, path));
  std::ofstream out(scratch / file.filename());
  for (const value& document : documents) out << "---\n" << json::to_string(document) << "\n";
  return (scratch / file.filename()).string();
}

const value* find_kind(const std::vector<cli::Document>& documents, std::string_view kind) {
  const auto at = std::find_if(documents.begin(), documents.end(), [&](const auto& d) { return d.kind == kind; });
  return at == documents.end() ? nullptr : at->object.get();
}

// Expands a document of kind Pods or Nodes: NAME-0, NAME-1, … of each row of sizes in turn.
Status expand(const value& all, const std::string& place, json::array& out) {
  json::object one = all.get_object();
  const bool pods = json::string_at(all, {"kind"}) == "Pods";
  const std::string name(json::string_at(all, {"metadata", "name"}));
  one["apiVersion"] = "v1";
  one["kind"] = pods ? "Pod" : "Node";
  one.erase("sizes");
  json::object container{{"name", "app"}};
  if (const value* ports = json::find(all, {"ports"})) container["ports"] = *ports;
  one.erase("ports");
  size_t number = 0;
  for (const value& row : json::array_at(all, {"sizes"})) {
    if (!row.is_array() || row.get_array().size() < 3)
      return fail(Code::kInvalid, place + ": sizes: [count, cpu, memory]");
    const json::array& cells = row.get_array();
    json::object amounts{{"cpu", cells[1]}, {"memory", cells[2]}};
    if (pods) {
      if (!one.contains("spec")) one["spec"] = json::object();
      container["resources"] = json::object{{"requests", std::move(amounts)}};
      one["spec"].get_object()["containers"] = json::array{container};
    } else {
      amounts["pods"] = 20;
      one["status"] = json::object{{"allocatable", std::move(amounts)}};
    }
    for (int64_t i = 0; i < cells[0].to_number<int64_t>(); ++i) {
      one["metadata"].get_object()["name"] = name + "-" + std::to_string(number++);
      out.push_back(one);
    }
  }
  return ok();
}

Result<std::optional<model::Price>> read_price(const value& wanted, std::string_view name) {
  const value* found = json::find(wanted, {name});
  if (found == nullptr) return std::optional<model::Price>();
  const auto price =
      model::parse_price(found->is_string() ? std::string(found->get_string()) : json::to_string(*found));
  if (!price) return fail(Code::kInvalid, std::string(name) + ": not an amount of USD");
  return std::optional(*price);
}

Status read_flags(const value& wanted, const std::string& scratch, const fs::path& folder, cli::PlanOptions& options) {
  const value* flags = json::find(wanted, {"flags"});
  if (flags == nullptr) return ok();
  if (!flags->is_object()) return fail(Code::kInvalid, "flags: must be an object");
  for (const auto& [name, v] : flags->get_object()) {
    const std::string text = v.is_string() ? std::string(v.get_string()) : json::to_string(v);
    if (name == "minValuesPolicy") {
      options.min_values_policy = text;
    } else if (name == "preferencePolicy") {
      options.preference_policy = text;
    } else if (name == "maxInstanceTypes") {
      options.max_instance_types = std::stoi(text);
    } else if (name == "nodePrice") {
      options.node_price = text;
    } else if (name == "maxNodes") {
      options.max_nodes = std::stoll(text);
    } else if (name == "adoptionWait") {
      const auto wait = parse_go_duration(text);
      if (!wait) return fail(Code::kInvalid, "flags: adoptionWait: not a duration: " + text);
      options.adoption_wait = *wait;
    } else if (name == "featureGates") {
      options.feature_gates = text;
    } else if (name == "ignoreDraRequests") {
      options.ignore_dra_requests = text == "true";
    } else if (name == "reservedCapacityMode") {
      options.reserved_capacity_mode = text;
    } else if (name == "schedulerConfig") {
      options.scheduler_config = TRY(write_file(scratch, "scheduler.json", v));
    } else if (name == "priceFile") {
      options.price_file = TRY(write_file(scratch, "prices.json", v));
    } else if (name == "afterEdit") {
      options.after_edit = folder / text;
    } else {
      return fail(Code::kInvalid, "flags: there is no " + std::string(name));
    }
  }
  return ok();
}

}  // namespace

bool glob(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (text.substr(0, star) != pattern.substr(0, star)) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (size_t from = star; from <= text.size(); ++from) {
    if (glob(rest, text.substr(from))) return true;
  }
  return false;
}

std::vector<std::string> scenario_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<Expectation> read_expectation(const std::string& file, const std::string& scratch, const std::string& without) {
  const std::string from = without.empty() ? file : TRY_IN(file, write_without(file, scratch, without));
  const std::vector<cli::Document> documents = TRY(cli::read_documents({from}, std::cin));
  const value* wanted = find_kind(documents, "Expectation");
  if (wanted == nullptr) return fail(Code::kInvalid, file + ": no document of kind Expectation");
  Expectation expectation;
  cli::PlanOptions& options = expectation.options;
  options.files = {from};
  options.mode = json::string_at(*wanted, {"mode"}, "provision");
  options.now = "2026-09-01T12:00:00Z";
  options.output = "json";
  options.node_price = "0";
  options.adoption_wait = {};  // the documents do not say who launched their nodes
  const fs::path folder = fs::path(file).parent_path();
  options.catalog = folder / "catalog.json";
  if (const value* catalog = find_kind(documents, "Catalog")) {
    json::object document = catalog->get_object();
    document.emplace("version", 1);
    options.catalog = TRY(write_file(scratch, "catalog.json", document));
  }
  TRY_IN(file, read_flags(*wanted, scratch, folder, options));
  expectation.exit = static_cast<int>(json::int_at(*wanted, {"exit"}));
  expectation.error = json::string_at(*wanted, {"error"});
  expectation.price_at_most = TRY_IN(file, read_price(*wanted, "priceAtMost"));
  expectation.bound_at_least = TRY_IN(file, read_price(*wanted, "boundAtLeast"));
  if (json::find(*wanted, {"stepsAtMost"})) expectation.steps_at_most = json::int_at(*wanted, {"stepsAtMost"});
  json::array many;
  for (const cli::Document& document : documents) {
    if (document.kind == "Pods" || document.kind == "Nodes") TRY(expand(*document.object, file, many));
    if (document.kind == "Cluster") TRY_IN(file, expand_cluster(*document.object, options.catalog, many));
  }
  if (!many.empty()) {
    options.files.push_back(TRY(write_file(scratch, "many.json", json::object{{"kind", "List"}, {"items", many}})));
    std::reverse(many.begin(), many.end());
    expectation.reversed.push_back(
        TRY(write_file(scratch, "reversed-many.json", json::object{{"kind", "List"}, {"items", many}})));
  }
  if (const value* plan = json::find(*wanted, {"plan"})) expectation.plan = *plan;
  if (const value* why = json::find(*wanted, {"why"}); why && why->is_object()) {
    for (const auto& [node, text] : why->get_object()) expectation.why[node] = json::string_at(*why, {node});
  }
  return expectation;
}

Answer ask(const cli::PlanOptions& options) {
  std::ostringstream out, err;
  const int code = run_plan(options, out, err);
  return {code, out.str(), err.str()};
}

std::string unmet(const Expectation& wanted, const Answer& answer) {
  if (answer.exit != wanted.exit) return "exit " + std::to_string(answer.exit) + ": " + answer.err + answer.out;
  if (answer.err.find(wanted.error) == std::string::npos) return "standard error: " + answer.err;
  if (wanted.plan) {
    const auto actual = json::parse(answer.out);
    if (!actual) return answer.err + answer.out;
    const std::string differs = difference(*wanted.plan, *actual, "");
    if (!differs.empty()) return differs + "\n" + answer.out;
  }
  for (const auto& [node, text] : wanted.why) {
    std::ostringstream out, err;
    cli::PlanOptions asked = wanted.options;
    asked.output = "text";
    const int code = cli::run_why({.subject = "node/" + node, .plan = asked}, out, err);
    if (code != 0 || !glob(text, out.str())) return "why " + node + ": " + err.str() + out.str();
  }
  return "";
}

std::string reversed_documents(const std::string& text) {
  constexpr std::string_view kSeparator = "\n---\n";
  std::string reversed;
  size_t from = 0;
  while (true) {
    const size_t end = text.find(kSeparator, from);
    const std::string document = text.substr(from, end == std::string::npos ? end : end - from);
    reversed = reversed.empty() ? document : document + std::string(kSeparator) + reversed;
    if (end == std::string::npos) return reversed;
    from = end + kSeparator.size();
  }
}

std::string difference(const value& wanted, const value& actual, const std::string& path) {
  if (const auto* members = wanted.if_object(); members && actual.is_object()) {
    for (const auto& member : *members) {
      const value* found = actual.get_object().if_contains(member.key());
      const std::string where = path + "." + std::string(member.key());
      if (member.value().is_null()) {
        if (found) return where + ": is there: " + json::to_string(*found);
        continue;
      }
      if (!found) return where + ": missing";
      if (std::string d = difference(member.value(), *found, where); !d.empty()) return d;
    }
    return members->empty() && !actual.get_object().empty() ? path + ": not empty: " + json::to_string(actual) : "";
  }
  if (const auto* items = wanted.if_array(); items && actual.is_array()) {
    if (items->size() != actual.get_array().size()) return path + ": is " + json::to_string(actual);
    for (size_t i = 0; i < items->size(); ++i) {
      std::string d = difference((*items)[i], actual.get_array()[i], path + "[" + std::to_string(i) + "]");
      if (!d.empty()) return d;
    }
    return "";
  }
  if (wanted.is_string() && actual.is_string() && glob(wanted.get_string(), actual.get_string())) return "";
  return json::to_string(wanted) == json::to_string(actual) ? "" : path + ": is " + json::to_string(actual);
}

}  // namespace tenon::scenarios
