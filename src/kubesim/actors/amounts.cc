// SPDX-License-Identifier: Apache-2.0
#include "kubesim/actors/amounts.h"

#include <algorithm>

#include "json/json.h"
#include "model/quantity.h"

namespace tenon::kubesim {
namespace {

// Walks both sorted lists and keeps combine(a, b) for each name. An absent name is zero.
template <class Combine>
void merge(Amounts& a, const Amounts& b, Combine combine) {
  a.cpu = combine(a.cpu, b.cpu);
  a.memory = combine(a.memory, b.memory);
  a.ephemeral = combine(a.ephemeral, b.ephemeral);
  a.pods = combine(a.pods, b.pods);
  for (const auto& [name, amount] : b.others) {
    const int64_t had = a.get(name);
    a.add(name, combine(had, amount) - had);
  }
}

Amounts container_requests(const json::value& container) {
  Amounts amounts = parse_amounts(json::object_at(container, {"resources", "requests"}));
  const json::object& requests = json::object_at(container, {"resources", "requests"});
  // The API server defaults a missing request to the limit. Objects from other sources get the same default here.
  for (const auto& [name, quantity] : json::object_at(container, {"resources", "limits"}))
    if (!requests.contains(name)) {
      const Amounts limit = parse_amounts(json::object{{name, quantity}});
      amounts.add(name, limit.get(name));
    }
  return amounts;
}

}  // namespace

void Amounts::add(std::string_view name, int64_t amount) {
  if (name == "cpu") {
    cpu += amount;
  } else if (name == "memory") {
    memory += amount;
  } else if (name == "ephemeral-storage") {
    ephemeral += amount;
  } else if (name == "pods") {
    pods += amount;
  } else {
    const auto at = std::lower_bound(others.begin(), others.end(), name,
                                     [](const auto& entry, std::string_view key) { return entry.first < key; });
    if (at != others.end() && at->first == name)
      at->second += amount;
    else
      others.emplace(at, std::string(name), amount);
  }
}

int64_t Amounts::get(std::string_view name) const {
  if (name == "cpu") return cpu;
  if (name == "memory") return memory;
  if (name == "ephemeral-storage") return ephemeral;
  if (name == "pods") return pods;
  for (const auto& [other, amount] : others)
    if (other == name) return amount;
  return 0;
}

Amounts& Amounts::operator+=(const Amounts& other) {
  merge(*this, other, [](int64_t a, int64_t b) { return a + b; });
  return *this;
}

Amounts& Amounts::operator-=(const Amounts& other) {
  merge(*this, other, [](int64_t a, int64_t b) { return a - b; });
  return *this;
}

Amounts Amounts::max(const Amounts& a, const Amounts& b) {
  Amounts result = a;
  merge(result, b, [](int64_t x, int64_t y) { return std::max(x, y); });
  return result;
}

Amounts parse_amounts(const json::object& quantities) {
  Amounts amounts;
  for (const auto& [name, quantity] : quantities) {
    std::string text = quantity.is_string() ? std::string(quantity.get_string()) : json::to_string(quantity);
    const auto parsed = model::parse_quantity(text);
    if (parsed) amounts.add(name, name == "cpu" ? parsed->ceil_milli() : parsed->ceil_units());
  }
  return amounts;
}

Amounts pod_requests(const json::value& pod_spec) {
  Amounts running;
  for (const json::value& container : json::array_at(pod_spec, {"containers"}))
    running += container_requests(container);
  Amounts side_cars, starting;
  for (const json::value& container : json::array_at(pod_spec, {"initContainers"})) {
    const Amounts own = container_requests(container);
    if (json::string_at(container, {"restartPolicy"}) == "Always") {
      side_cars += own;
      starting = Amounts::max(starting, side_cars);
    } else {
      Amounts with = side_cars;
      with += own;
      starting = Amounts::max(starting, with);
    }
  }
  running += side_cars;
  Amounts total = Amounts::max(running, starting);
  for (const auto& [name, quantity] : json::object_at(pod_spec, {"resources", "requests"})) {
    const int64_t whole = parse_amounts(json::object{{name, quantity}}).get(name);
    total.add(name, whole - total.get(name));
  }
  total += parse_amounts(json::object_at(pod_spec, {"overhead"}));
  total.pods = 1;
  return total;
}

}  // namespace tenon::kubesim
