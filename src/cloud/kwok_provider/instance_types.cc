// SPDX-License-Identifier: Apache-2.0
#include "cloud/kwok_provider/instance_types.h"

#include <algorithm>

#include "base/text.h"
#include "cloud/kwok_provider/type_labels.h"
#include "json/json.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

using json::value;
using Texts = std::vector<std::string>;

constexpr int64_t kDefaultPods = 110;
constexpr int64_t kGib = int64_t{1} << 30;

tl::unexpected<Error> refuse(const std::string& path, const std::string& what) {
  return fail(Code::kInvalid, path + ": " + what);
}

// Returns the member whose name equals `name` (in lower case) in any case; null if there is none.
const value* member(const value& object, std::string_view name) {
  const auto* members = object.if_object();
  if (members == nullptr) return nullptr;
  for (const auto& [key, found] : *members) {
    if (to_lower(key) == name) return &found;
  }
  return nullptr;
}

Result<std::string> text_at(const value& object, std::string_view name, const std::string& path) {
  const value* found = member(object, name);
  if (found == nullptr || !found->is_string() || found->get_string().empty()) {
    return refuse(path + "." + std::string(name), "must be a text");
  }
  return std::string(found->get_string());
}

Result<Texts> texts_at(const value& object, std::string_view name, const std::string& path) {
  const value* found = member(object, name);
  Texts out;
  if (found != nullptr && found->is_array()) {
    for (const value& item : found->get_array()) {
      if (!item.is_string()) return refuse(path + "." + std::string(name), "must be a list of texts");
      out.emplace_back(item.get_string());
    }
  }
  if (out.empty()) return refuse(path + "." + std::string(name), "must be a list with at least one text");
  return out;
}

Result<model::Resources> read_resources(const value& type, const std::string& path) {
  const value* found = member(type, "resources");
  if (found == nullptr || !found->is_object()) return refuse(path + ".resources", "must be an object");
  model::Resources out{{std::string(model::kPods), kDefaultPods}};
  for (const auto& [name, amount] : found->get_object()) {
    const std::string text = amount.is_string() ? std::string(amount.get_string()) : json::to_string(amount);
    out.set_floor(name, TRY_IN(path + ".resources." + std::string(name), model::parse_quantity(text)));
  }
  for (const std::string_view needed : {model::kCpu, model::kMemory}) {
    if (!out.has(needed)) return refuse(path + ".resources." + std::string(needed), "is missing");
  }
  if (out.any_negative()) return refuse(path + ".resources", "must not be negative");
  return out;
}

// The values that an offering's requirements allow.
struct Places {
  Texts zones, capacity_types;
};

Status add_requirement(const value& requirement, const std::string& path, Places& places) {
  const std::string key = TRY(text_at(requirement, "key", path));
  if (TRY(text_at(requirement, "operator", path)) != "In") return refuse(path + ".operator", "must be In");
  Texts values = TRY(texts_at(requirement, "values", path));
  if (key == model::kLabelZone) {
    places.zones = std::move(values);
  } else if (key == model::kLabelCapacityType) {
    places.capacity_types = std::move(values);
  } else {
    return refuse(path + ".key", "must be " + std::string(model::kLabelZone) + " or " +
                                     std::string(model::kLabelCapacityType) + ", not " + key);
  }
  return ok();
}

Result<Places> read_places(const value& offering, const std::string& path) {
  Places places;
  if (member(offering, "zone")) places.zones = {TRY(text_at(offering, "zone", path))};
  if (member(offering, "capacitytype")) places.capacity_types = {TRY(text_at(offering, "capacitytype", path))};
  if (const value* requirements = member(offering, "requirements"); requirements && requirements->is_array()) {
    size_t index = 0;
    for (const value& requirement : requirements->get_array()) {
      TRY(add_requirement(requirement, path + ".requirements[" + std::to_string(index++) + "]", places));
    }
  }
  if (places.zones.empty()) return refuse(path, "has no zone");
  if (places.capacity_types.empty()) return refuse(path, "has no capacity type");
  for (const std::string& capacity_type : places.capacity_types) {
    if (capacity_type == model::kCapacityOnDemand || capacity_type == model::kCapacitySpot) continue;
    return refuse(path, "has the capacity type " + capacity_type + ", which is neither on-demand nor spot");
  }
  return places;
}

Status add_offerings(const value& offering, const std::string& path, std::vector<model::Offering>& out) {
  const value* price = member(offering, "price");
  if (price == nullptr || !price->is_number()) return refuse(path + ".price", "must be a number");
  const auto usd = price->to_number<double>();
  if (!(usd >= 0)) return refuse(path + ".price", "must not be negative");
  const Places places = TRY(read_places(offering, path));
  for (const std::string& zone : places.zones) {
    for (const std::string& capacity_type : places.capacity_types) {
      out.push_back({.zone = zone, .capacity_type = capacity_type, .price = model::price_from_usd(usd)});
    }
  }
  return ok();
}

Result<model::InstanceType> read_type(const value& type, const std::string& path) {
  KwokTypeFacts facts;
  facts.name = TRY(text_at(type, "name", path));
  facts.arch = TRY(text_at(type, "architecture", path));
  facts.systems = TRY(texts_at(type, "operatingsystems", path));
  facts.capacity = TRY(read_resources(type, path));
  const value* offerings = member(type, "offerings");
  if (offerings == nullptr || !offerings->is_array() || offerings->get_array().empty()) {
    return refuse(path + ".offerings", "must be a list with at least one offering");
  }
  size_t index = 0;
  for (const value& offering : offerings->get_array()) {
    TRY(add_offerings(offering, path + ".offerings[" + std::to_string(index++) + "]", facts.offerings));
  }
  return make_kwok_type(std::move(facts));
}

void sort_by_name(std::vector<model::InstanceType>& types) {
  std::stable_sort(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

void add_values(const std::vector<std::string>& more, std::vector<std::string>& values) {
  for (const std::string& value : more) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
}

// A file may list one type for each operating system and architecture. The types are sorted by name.
Status merge_equal_names(std::vector<model::InstanceType>& types) {
  std::vector<model::InstanceType> merged;
  for (model::InstanceType& type : types) {
    if (merged.empty() || merged.back().name != type.name) {
      merged.push_back(std::move(type));
      continue;
    }
    model::InstanceType& first = merged.back();
    if (first.capacity != type.capacity || first.offerings != type.offerings) {
      return fail(Code::kInvalid, "has the instance type " + type.name + " twice, with other resources or offerings");
    }
    for (const std::string_view key : {model::kLabelOs, model::kLabelArch}) {
      add_values(type.labels.find(key)->second, first.labels.find(key)->second);
    }
  }
  types = std::move(merged);
  return ok();
}

// The prices of the upstream generator, in doubles and in its order.
double price_of(int64_t cpus, int64_t memory) {
  constexpr double kUsdPerCpu = 0.025, kUsdPerGb = 0.001, kBytesPerGb = 1e9;
  return kUsdPerCpu * static_cast<double>(cpus) + kUsdPerGb * static_cast<double>(memory) / kBytesPerGb;
}

std::vector<model::Offering> default_offerings(double on_demand) {
  constexpr double kSpotFactor = 0.7;
  std::vector<model::Offering> out;
  for (const char* zone : {"test-zone-a", "test-zone-b", "test-zone-c", "test-zone-d"}) {
    for (const std::string_view capacity_type : {model::kCapacitySpot, model::kCapacityOnDemand}) {
      const double usd = capacity_type == model::kCapacitySpot ? on_demand * kSpotFactor : on_demand;
      out.push_back({.zone = zone, .capacity_type = std::string(capacity_type), .price = model::price_from_usd(usd)});
    }
  }
  return out;
}

}  // namespace

Result<std::vector<model::InstanceType>> parse_kwok_types(std::string_view text) {
  const value document = TRY(json::parse(text));
  if (!document.is_array()) return fail(Code::kInvalid, "must be a list of instance types");
  std::vector<model::InstanceType> types;
  for (const value& type : document.get_array()) {
    types.push_back(TRY(read_type(type, "[" + std::to_string(types.size()) + "]")));
  }
  if (types.empty()) return fail(Code::kInvalid, "must have at least one instance type");
  sort_by_name(types);
  TRY(merge_equal_names(types));
  return types;
}

std::vector<model::InstanceType> default_kwok_types() {
  constexpr int64_t kPodsPerCpu = 16, kMostPods = 1024, kStorage = 20 * kGib;
  constexpr std::pair<char, int64_t> kFamilies[] = {{'c', 2}, {'s', 4}, {'m', 8}};  // GiB for each CPU
  std::vector<model::InstanceType> types;
  for (const int64_t cpus : {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256}) {
    for (const auto& [family, gib_per_cpu] : kFamilies) {
      for (const char* os : {"linux", "windows"}) {
        for (const char* arch : {"amd64", "arm64"}) {
          const int64_t memory = cpus * gib_per_cpu * kGib;
          KwokTypeFacts facts;
          facts.name = std::string(1, family) + "-" + std::to_string(cpus) + "x-" + arch + "-" + os;
          facts.arch = arch;
          facts.systems = {os};
          facts.capacity = {{std::string(model::kCpu), cpus * 1000},
                            {std::string(model::kMemory), memory},
                            {std::string(model::kPods), std::min(cpus * kPodsPerCpu, kMostPods)},
                            {std::string(model::kEphemeralStorage), kStorage}};
          facts.offerings = default_offerings(price_of(cpus, memory));
          types.push_back(make_kwok_type(std::move(facts)));
        }
      }
    }
  }
  sort_by_name(types);
  return types;
}

}  // namespace tenon::cloud
