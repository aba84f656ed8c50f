// SPDX-License-Identifier: Apache-2.0
#include "catalog/plan_catalog.h"

#include <charconv>
#include <cstdlib>
#include <set>

#include "base/check.h"
#include "catalog/formulas.h"
#include "json/json.h"
#include "model/labels.h"
#include "model/quantity.h"

namespace tenon::catalog {
namespace {

using json::array;
using json::object;
using json::value;

constexpr int64_t kFormatVersion = 1;
constexpr std::string_view kOverheadParts[] = {"kubeReserved", "systemReserved", "evictionThreshold"};

tl::unexpected<Error> wrong(std::string_view field, std::string_view expected) {
  return fail(Code::kInvalid, std::string(field) + ": must be " + std::string(expected));
}

// The readers below return the default for an absent or null field, and reject a field of another type.
const value* field_of(const object& from, std::string_view key) {
  const value* found = from.if_contains(key);
  return found && !found->is_null() ? found : nullptr;
}

Result<std::string> read_string(const object& from, std::string_view key) {
  const value* v = field_of(from, key);
  if (!v) return std::string();
  if (!v->is_string()) return wrong(key, "a string");
  return std::string(v->get_string());
}

Result<int64_t> read_int(const object& from, std::string_view key) {
  const value* v = field_of(from, key);
  if (!v) return 0;
  if (!v->is_int64()) return wrong(key, "an integer");
  return v->get_int64();
}

Result<bool> read_bool(const object& from, std::string_view key, bool otherwise) {
  const value* v = field_of(from, key);
  if (!v) return otherwise;
  if (v->is_bool()) return v->get_bool();
  if (v->is_string() && v->get_string() == "true") return true;
  if (v->is_string() && v->get_string() == "false") return false;
  return wrong(key, "true or false");
}

Result<const object*> read_object(const object& from, std::string_view key) {
  static const object kNone;
  const value* v = field_of(from, key);
  if (!v) return &kNone;
  if (!v->is_object()) return wrong(key, "an object");
  return &v->get_object();
}

Result<const array*> read_array(const object& from, std::string_view key) {
  static const array kNone;
  const value* v = field_of(from, key);
  if (!v) return &kNone;
  if (!v->is_array()) return wrong(key, "a list");
  return &v->get_array();
}

Result<std::vector<std::string>> strings_of(const value& v, std::string_view field) {
  if (!v.is_array()) return wrong(field, "a list of strings");
  std::vector<std::string> result;
  for (const value& item : v.get_array()) {
    if (!item.is_string()) return wrong(field, "a list of strings");
    result.emplace_back(item.get_string());
  }
  return result;
}

Result<std::vector<std::string>> read_strings(const object& from, std::string_view key) {
  const value* v = field_of(from, key);
  if (!v) return std::vector<std::string>();
  return strings_of(*v, key);
}

// Quantities are strings; numbers are accepted as Kubernetes does.
Result<model::Quantity> quantity_of(const value& v) {
  if (v.is_string()) return model::parse_quantity(v.get_string());
  if (v.is_number()) return model::parse_quantity(json::to_string(v));
  return fail(Code::kInvalid, "must be a quantity");
}

struct Rounding {
  bool up;
};

Result<model::Resources> read_resources(const object& from, std::string_view key, Rounding rounding) {
  model::Resources result;
  for (const auto& [name, v] : *TRY(read_object(from, key))) {
    model::Quantity quantity = TRY_IN(std::string(key) + "." + std::string(name), quantity_of(v));
    if (rounding.up) {
      result.set_ceil(name, quantity);
    } else {
      result.set_floor(name, quantity);
    }
  }
  return result;
}

// Returns the shortest text that parses to the same number: "0.096" for 0.096.
std::string shortest(const value& number) {
  if (number.is_int64()) return std::to_string(number.get_int64());
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, number.to_number<double>()).ptr;
  return {buffer, end};
}

struct ParsedOffering {
  model::Offering offering;
  std::string problem;
};

Result<ParsedOffering> parse_offering(const value& v) {
  if (!v.is_object()) return fail(Code::kInvalid, "must be an object");
  const object& from = v.get_object();
  ParsedOffering parsed;
  model::Offering& offering = parsed.offering;
  offering.zone = TRY(read_string(from, "zone"));
  offering.zone_id = TRY(read_string(from, "zoneID"));
  offering.capacity_type = TRY(read_string(from, "capacityType"));
  offering.available = TRY(read_bool(from, "available", true));
  offering.reservation_id = TRY(read_string(from, "reservationID"));
  offering.reservation_type = TRY(read_string(from, "reservationType"));
  offering.reservation_interruptible = TRY(read_bool(from, "reservationInterruptible", false));
  int64_t reserved = TRY(read_int(from, "reservationCapacity"));
  if (reserved < 0 || reserved > INT32_MAX) return wrong("reservationCapacity", "a count");
  offering.reservation_capacity = static_cast<int>(reserved);
  if (offering.zone.empty()) return wrong("zone", "the name of a zone");
  if (offering.capacity_type != model::kCapacityOnDemand && offering.capacity_type != model::kCapacitySpot &&
      offering.capacity_type != model::kCapacityReserved)
    return wrong("capacityType", "on-demand, spot or reserved");
  std::string what = "the " + offering.capacity_type + " offering in " + offering.zone;
  const value* price = field_of(from, "price");
  if (!price) {
    parsed.problem = what + " has no price";
    return parsed;
  }
  if (!price->is_number()) return wrong("price", "a number");
  if (auto exact = model::parse_price(shortest(*price))) {
    offering.price = *exact;
  } else {
    parsed.problem = what + " has the price " + shortest(*price) + ", which is out of range";
  }
  return parsed;
}

void note_problem(model::InstanceType& type, std::string problem) {
  if (type.problem.empty()) type.problem = std::move(problem);
}

Status parse_labels(model::InstanceType& type, const object& from) {
  for (const auto& [key, values] : *TRY(read_object(from, "labels")))
    type.labels[std::string(key)] = TRY(strings_of(values, "labels." + std::string(key)));
  std::string arch = TRY(read_string(from, "arch"));
  auto os = TRY(read_strings(from, "os"));
  if (!arch.empty()) type.labels.try_emplace(std::string(model::kLabelArch), std::vector<std::string>{arch});
  if (!os.empty()) type.labels.try_emplace(std::string(model::kLabelOs), os);
  type.labels.try_emplace(std::string(model::kLabelInstanceType), std::vector<std::string>{type.name});
  return ok();
}

Result<model::InstanceType> parse_type(const object& from) {
  model::InstanceType type;
  type.name = TRY(read_string(from, "name"));
  if (type.name.empty()) return wrong("name", "the name of the instance type");
  TRY(parse_labels(type, from));
  type.capacity = TRY(read_resources(from, "capacity", Rounding{.up = false}));
  const object* overhead = TRY(read_object(from, "overhead"));
  for (std::string_view part : kOverheadParts)
    type.overhead += TRY_IN("overhead", read_resources(*overhead, part, Rounding{.up = true}));
  const array* offerings = TRY(read_array(from, "offerings"));
  for (size_t i = 0; i < offerings->size(); ++i) {
    auto parsed = TRY_IN("offerings[" + std::to_string(i) + "]", parse_offering((*offerings)[i]));
    if (!parsed.problem.empty()) note_problem(type, parsed.problem);
    type.offerings.push_back(std::move(parsed.offering));
  }
  if (type.offerings.empty()) note_problem(type, "it is offered nowhere");
  if (type.capacity.any_negative()) note_problem(type, "its capacity is negative");
  if (type.overhead.any_negative()) note_problem(type, "its overhead is negative");
  return type;
}

object render_resources(const model::Resources& resources) {
  object out;
  for (const auto& [name, amount] : resources.entries()) out[name] = model::format_amount(name, amount);
  return out;
}

array render_strings(const std::vector<std::string>& strings) {
  array out;
  for (const std::string& s : strings) out.emplace_back(s);
  return out;
}

object render_offering(const model::Offering& offering) {
  object out{{"zone", offering.zone}};
  if (!offering.zone_id.empty()) out["zoneID"] = offering.zone_id;
  out["capacityType"] = offering.capacity_type;
  out["price"] = std::strtod(model::format_usd(offering.price).c_str(), nullptr);
  out["available"] = offering.available;
  if (offering.capacity_type == model::kCapacityReserved) {
    out["reservationID"] = offering.reservation_id;
    out["reservationType"] = offering.reservation_type;
    out["reservationInterruptible"] = offering.reservation_interruptible ? "true" : "false";
    out["reservationCapacity"] = offering.reservation_capacity;
  }
  return out;
}

object render_type(const model::InstanceType& type) {
  object out{{"name", type.name}};
  if (auto arch = type.labels.find(model::kLabelArch); arch != type.labels.end() && arch->second.size() == 1)
    out["arch"] = arch->second.front();
  if (auto os = type.labels.find(model::kLabelOs); os != type.labels.end()) out["os"] = render_strings(os->second);
  object labels;
  for (const auto& [key, values] : type.labels) labels[key] = render_strings(values);
  out["labels"] = std::move(labels);
  out["capacity"] = render_resources(type.capacity);
  out["overhead"] = object{{kOverheadParts[0], render_resources(type.overhead)},
                           {kOverheadParts[1], object()},
                           {kOverheadParts[2], object()}};
  array offerings;
  for (const model::Offering& offering : type.offerings) offerings.emplace_back(render_offering(offering));
  out["offerings"] = std::move(offerings);
  return out;
}

}  // namespace

Result<PlanCatalog> parse_plan_catalog(std::string_view text) {
  value document = TRY(json::parse(text));
  if (!document.is_object()) return fail(Code::kInvalid, "must be a JSON object");
  const object& from = document.get_object();
  int64_t version = TRY(read_int(from, "version"));
  if (version != kFormatVersion)
    return fail(Code::kInvalid, "version: must be 1, the only format there is; it is " + std::to_string(version));
  PlanCatalog catalog;
  catalog.name = TRY(read_string(from, "name"));
  catalog.region = TRY(read_string(from, "region"));
  catalog.label_keys = TRY(read_strings(from, "labelKeys"));
  const array* types = TRY(read_array(from, "instanceTypes"));
  std::set<std::string> seen;
  for (size_t i = 0; i < types->size(); ++i) {
    const value& item = (*types)[i];
    std::string where = "instanceTypes[" + std::to_string(i) + "]";
    if (!item.is_object()) return wrong(where, "an object");
    std::string_view name = json::string_at(item, {"name"});
    if (!name.empty()) where += " (" + std::string(name) + ")";
    model::InstanceType type = TRY_IN(where, parse_type(item.get_object()));
    if (!seen.insert(type.name).second) type.problem = "an earlier type of the catalog has this name";
    catalog.types.push_back(std::move(type));
  }
  return catalog;
}

std::string render_plan_catalog(const PlanCatalog& catalog) {
  object out{{"version", kFormatVersion}, {"name", catalog.name}, {"region", catalog.region}};
  out["labelKeys"] = render_strings(catalog.label_keys);
  array types;
  for (const model::InstanceType& type : catalog.types) types.emplace_back(render_type(type));
  out["instanceTypes"] = std::move(types);
  return json::to_pretty(out);
}

std::vector<model::Offering> demo_offerings(const InstanceFacts& facts) {
  std::vector<model::Offering> offerings;
  if (!facts.on_demand) return offerings;
  for (const Zone& zone : demo_zones()) {
    model::Offering offering;
    offering.zone = zone.name;
    offering.zone_id = zone.id;
    offering.capacity_type = model::kCapacityOnDemand;
    offering.price = *facts.on_demand;
    offerings.push_back(offering);
    if (auto spot = demo_spot_price(facts, zone)) {
      offering.capacity_type = model::kCapacitySpot;
      offering.price = *spot;
      offerings.push_back(offering);
    }
  }
  return offerings;
}

PlanCatalog demo_catalog() {
  PlanCatalog catalog{.name = "demo", .region = std::string(kRegion), .label_keys = {}, .types = {}};
  std::set<std::string> keys{"karpenter.k8s.aws/capacity-reservation-id",
                             "karpenter.k8s.aws/capacity-reservation-interruptible",
                             "karpenter.k8s.aws/capacity-reservation-type", std::string(model::kLabelWindowsBuild)};
  for (const InstanceFacts* facts : demo_instance_types()) {
    auto type = assemble(*facts, NodeSettings{}, kRegion, demo_offerings(*facts));
    CHECK(type.has_value(), facts->name);
    for (const auto& [key, values] : type->labels) keys.insert(key);
    catalog.types.push_back(std::move(*type));
  }
  catalog.label_keys.assign(keys.begin(), keys.end());
  return catalog;
}

}  // namespace tenon::catalog
